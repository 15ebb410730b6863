from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tables", "0001_schema")]

    operations = [
        # Slips of before have one salt, and a digest of another form: their database is begun anew.
        migrations.AddField(
            "slip",
            "salt",
            models.CharField(default="00000000-0000-0000-0000-000000000000", max_length=36),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            "slip", models.CheckConstraint(condition=~models.Q(salt=""), name="slip_salted")
        ),
    ]
