"""The development mailbox.

Mails that a server without a mail server keeps for itself, and the pages that show them.
"""
