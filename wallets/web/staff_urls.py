"""Addresses of the staff's entrance, under ADMIN_URL and before the admin's own: its login is ours."""

from django.urls import path

from . import second_factor
from .login import staff_login

urlpatterns = [
    path("login/", staff_login, name="staff-login"),
    path("second-factor/", second_factor.second_factor, name="staff-second-factor"),
    path("second-factor/set-up/", second_factor.set_up, name="staff-second-factor-set-up"),
    path("second-factor/recovery-codes/", second_factor.show_recovery_codes, name="staff-recovery-codes"),
]
