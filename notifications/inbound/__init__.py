"""Mails that come in, read: from raw bytes to what a player asks for. Pure: no rows, no clock, no network.

``reading.mail_read`` puts the parts together in the order in which they must run: caps, kind, key, sender, own lines.
``orders.orders_read`` makes commands of the own lines.
"""
