"""Tags and filters of the pages and of the mails."""
