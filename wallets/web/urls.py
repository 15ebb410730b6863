"""Addresses of the players' side that have to do with who they are."""

from allauth.account import views as allauth_views
from django.urls import path, re_path

from . import papers, register, second_factor, security
from .login import login

urlpatterns = [
    path("register/", register.register, name="register"),
    path("register/done/", register.registered, name="registered"),
    path("register/confirm/", register.registered, name="account_email_verification_sent"),
    re_path(r"^register/confirm/(?P<key>[-:\w]+)/$", allauth_views.confirm_email, name="account_confirm_email"),
    path("texts/<slug:text>/", register.consent_text, name="consent-text"),
    path("login/second-factor/", second_factor.second_factor, name="second-factor"),
    path("login/forgotten/", allauth_views.password_reset, name="account_reset_password"),
    path("login/forgotten/sent/", allauth_views.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^login/forgotten/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[-:\w]+)/$",
        allauth_views.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path(
        "login/forgotten/done/",
        allauth_views.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    path("account/identity/", papers.identity, name="identity"),
    path("account/security/", security.security, name="security"),
    path("account/security/password/", security.change_password, name="change-password"),
    path("account/security/devices/", security.end_others, name="end-other-devices"),
    path("account/security/export/", security.export, name="export-me"),
    path("account/security/second-factor/", second_factor.set_up, name="second-factor-set-up"),
    path("account/security/second-factor/remove/", second_factor.remove, name="second-factor-remove"),
    path("account/security/recovery-codes/", second_factor.show_recovery_codes, name="recovery-codes"),
    path("account/security/recovery-codes/renew/", second_factor.renew_codes, name="recovery-codes-renew"),
    # The names under which django-allauth looks for what is ours.
    path("login/", login, name="account_login"),
    path("register/", register.register, name="account_signup"),
]
