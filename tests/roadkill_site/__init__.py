"""Tests of the site: settings, accounts, log, and how it is started."""
