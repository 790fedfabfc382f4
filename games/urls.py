"""The addresses of races: pages and API."""

from importlib.util import find_spec

from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from games.web.views import (
    answers,
    clocks,
    feeds,
    home,
    hosting,
    links,
    lobby,
    offers,
    orders,
    race,
    replay,
    rules,
    talk,
)

app_name = "games"
urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.inbox, name="inbox"),
    path("theme", home.theme, name="theme"),
    path("profile/", RedirectView.as_view(pattern_name="account_profile"), name="profile"),
    path("rules/<slug:ruleset>/", rules.rules, name="rules"),
    path("act/<str:token>", links.act, name="act_link"),
    path("races/", lobby.race_list, name="lobby"),
    path("races/seats", offers.offers, name="offers"),
    path("races/new", lobby.race_new, name="race_new"),
    path("races/<slug:public_id>/", race.race, name="race"),
    path("races/<slug:public_id>/join", lobby.join, name="join"),
    path("races/<slug:public_id>/decline", lobby.decline, name="decline"),
    path("races/<slug:public_id>/leave", lobby.leave, name="leave"),
    path("races/<slug:public_id>/start", lobby.start, name="start"),
    path("races/<slug:public_id>/cancel", lobby.cancel, name="cancel"),
    path("races/<slug:public_id>/invite", lobby.invite, name="invite"),
    path("races/<slug:public_id>/words", lobby.words, name="words"),
    path("races/<slug:public_id>/bot", lobby.bot, name="bot"),
    path("races/<slug:public_id>/host", hosting.host, name="host"),
    path("races/<slug:public_id>/clocks/", clocks.clocks, name="clocks"),
    path("races/<slug:public_id>/clocks/more", clocks.more_time, name="more_time"),
    path("races/<slug:public_id>/clocks/agree/<int:ask_id>", clocks.agree, name="extension_agree"),
    path("races/<slug:public_id>/clocks/pause", clocks.pause, name="pause"),
    path("races/<slug:public_id>/clocks/resume", clocks.resume, name="resume"),
    path("races/<slug:public_id>/seats/", offers.seats, name="race_seats"),
    path("races/<slug:public_id>/seats/<int:seat_id>/claim", offers.claim, name="seat_claim"),
    path("races/<slug:public_id>/seats/claims/<int:claim_id>", offers.accept, name="seat_claim_accept"),
    path("races/<slug:public_id>/seats/back", offers.take_back, name="seat_take_back"),
    path("races/<slug:public_id>/seat/<int:seat_id>/remove", lobby.seat_remove, name="seat_remove"),
    path("races/<slug:public_id>/seat/<int:seat_id>/bot", lobby.seat_bot, name="seat_bot"),
    path("races/<slug:public_id>/seat/<int:seat_id>/offer", lobby.seat_offer, name="seat_offer"),
    path("races/<slug:public_id>/answer/<int:decision>/<int:number>", answers.answer, name="answer"),
    path("races/<slug:public_id>/form/<int:decision>/<int:number>", answers.form, name="form"),
    path("races/<slug:public_id>/wish", answers.wish, name="wish"),
    path("races/<slug:public_id>/orders/", orders.orders, name="orders"),
    path("races/<slug:public_id>/orders/new", orders.order_new, name="order_new"),
    path("races/<slug:public_id>/orders/clear", orders.orders_clear, name="orders_clear"),
    path("races/<slug:public_id>/orders/<int:order_id>/remove", orders.order_remove, name="order_remove"),
    path("races/<slug:public_id>/orders/plan", orders.plan, name="plan"),
    path("races/<slug:public_id>/orders/plan/cancel", orders.plan_cancel, name="plan_cancel"),
    path("races/<slug:public_id>/say", talk.say, name="say"),
    path("races/<slug:public_id>/resign", race.resign, name="resign"),
    path("races/<slug:public_id>/log", race.log, name="log"),
    path("races/<slug:public_id>/log.txt", race.log_export, name="log_text"),
    path("races/<slug:public_id>/log.atom", feeds.LogFeed(), name="log_feed"),
    path("races/<slug:public_id>/replay/", replay.replay, name="replay"),
    path("races/<slug:public_id>/replay/<int:entry>", replay.replay, name="replay"),
    path("races/<slug:public_id>/record.json", replay.record, name="record"),
]

if find_spec("games.api") and find_spec("games.api.urls"):
    urlpatterns.append(path("api/v1/", include("games.api.urls")))
