from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from roulette_site.common.audit import audited, facts_of, is_act_in_hand, record


class UserManager(BaseUserManager["User"]):
    """Makes users who log in by e-mail."""

    def get_by_natural_key(self, username: str | None) -> "User":
        """Find who logs in: an address is one person's, however its letters are written."""
        return self.get(email__iexact=username)

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Store a user; without a password nobody can log in with it."""
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        if not (user.is_staff or user.is_superuser):
            user.save(using=self._db)
            return user
        # Also from a terminal (`createsuperuser`): whoever gets rights stands in the audit trail.
        with audited():
            user.save(using=self._db)
            facts = facts_of(user, "is_active", "is_staff", "is_superuser")
            record(act="user_added", actor="system", subject=("user", user.pk), after=facts, at=timezone.now())
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Store an administrator of the site (`createsuperuser`)."""
        return self.create_user(email, password, **{"is_staff": True, "is_superuser": True} | fields)


class User(AbstractBaseUser, PermissionsMixin):
    """Whoever logs in: a player or a member of the staff. Holds personal data, so nothing append-only repeats it."""

    email = models.EmailField(unique=True)
    full_name = models.CharField(max_length=150, blank=True)
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    date_joined = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        constraints = [
            models.UniqueConstraint(
                Lower("email"),
                name="user_email_any_case",
                violation_error_message="Somebody has this address already.",
            )
        ]
        # What staff may do to somebody's account, each with a reason (wallets/staff/people.py).
        permissions = [
            ("unlock_login", "Can unlock a login"),
            ("reset_second_factor", "Can take a second factor away"),
            ("close_account", "Can close an account"),
            ("erase_person", "Can erase personal data"),
            ("decide_role", "Can decide who gets a role that can act"),
        ]

    def __str__(self) -> str:
        return self.email

    def save(self, *args: Any, **options: Any) -> None:
        """Store the user; a new password that no act has in hand (`changepassword`) stands in the audit trail too."""
        if self._state.adding or self._password is None or is_act_in_hand():
            super().save(*args, **options)
            return
        with audited():
            super().save(*args, **options)
            record(act="password_changed", actor="system", subject=("user", self.pk), at=timezone.now())

    def check_password(self, raw_password: str | None) -> bool:
        """Whether this is the password; one that was hashed as nobody does any more is hashed anew, on record."""

        def hash_anew(password: str) -> None:
            with audited():
                self.set_password(password)
                self._password = None
                self.save(update_fields=["password"])
                record(act="password_hashed_anew", actor="system", subject=("user", self.pk), at=timezone.now())

        return check_password(raw_password, self.password, hash_anew)
