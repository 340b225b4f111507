//! Which revision of the protocol is spoken: what `--protocol` takes.

use std::str::FromStr;

use mcp_client::Protocol;
use mcp_types::Revision;

/// The value of `--protocol`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// What client and server find out, whatever the config says.
    Auto,
    /// The same, beginning with `server/discover`.
    Discover,
    /// This one and no other.
    Revision(Revision),
}

impl Choice {
    /// What holds for a server whose config says `configured`.
    pub(crate) fn over(choice: Option<Self>, configured: Option<Protocol>) -> Protocol {
        match choice {
            None => configured.unwrap_or_default(),
            Some(Self::Auto) => Protocol::Auto,
            Some(Self::Discover) => Protocol::Discover,
            Some(Self::Revision(revision)) => Protocol::Only(revision),
        }
    }
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => return Ok(Self::Auto),
            "discover" => return Ok(Self::Discover),
            _ => {}
        }
        let revision = Revision::parse(text).map(Self::Revision);
        revision.ok_or_else(|| {
            let is_newer = is_date(text) && text > Revision::LATEST.as_str();
            let why =
                if is_newer { "this revision is not supported yet" } else { "there is no such revision" };
            format!("{why}; known are auto, discover, {}", Revision::ALL.map(Revision::as_str).join(", "))
        })
    }
}

fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let is_part = |part: Option<&str>, length| {
        part.is_some_and(|part| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    is_part(parts.next(), 4) && is_part(parts.next(), 2) && is_part(parts.next(), 2) && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use mcp_client::Protocol;
    use mcp_types::Revision;

    use super::Choice;

    #[test]
    fn every_known_revision_can_be_chosen() {
        for revision in Revision::ALL {
            assert_eq!(revision.as_str().parse(), Ok(Choice::Revision(revision)));
        }
        assert_eq!("auto".parse(), Ok(Choice::Auto));
        assert_eq!("discover".parse(), Ok(Choice::Discover));
    }

    #[test]
    fn what_is_no_known_revision_lists_those_that_are() {
        for (text, why) in [
            ("9999-12-31", "this revision is not supported yet"),
            ("2025-11-24", "there is no such revision"),
            ("zzzz-zz-zz", "there is no such revision"),
            ("", "there is no such revision"),
        ] {
            let error = text.parse::<Choice>().unwrap_err();
            assert!(
                error.starts_with(why) && error.contains("auto, discover, 2024-11-05, "),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn the_command_line_wins_over_the_config() {
        let (older, newer) = (Revision::V2025_03_26, Revision::V2025_06_18);
        let configured = Some(Protocol::Only(older));
        assert_eq!(Choice::over(None, configured), Protocol::Only(older));
        assert_eq!(Choice::over(Some(Choice::Revision(newer)), configured), Protocol::Only(newer));
        assert_eq!(Choice::over(Some(Choice::Auto), configured), Protocol::Auto);
        assert_eq!(Choice::over(Some(Choice::Discover), configured), Protocol::Discover);
        assert_eq!(Choice::over(None, None), Protocol::Auto);
    }
}
