"""Commands for mails that come in."""
