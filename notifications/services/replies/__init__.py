"""Replies by mail: kept, taken, done and answered; every function that writes is one transaction.

keys -> the secret address of each mail; keeping -> the raw bytes, before anything else; taking -> what is done with a
mail that was kept; doing -> its orders in its race; reports -> what the answer says; answering -> sending that.
"""
