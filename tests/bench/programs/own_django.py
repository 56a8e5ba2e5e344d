"""Django: templates, forms and the ORM on SQLite in memory, for about as many seconds as the first argument says times 1.5."""
import sys

import django
from django.conf import settings

settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}], USE_TZ=True, SECRET_KEY="x")
django.setup()

from django.contrib.auth.models import Group, User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.template import Context, Template  # noqa: E402

call_command("migrate", verbosity=0)
for i in range(20):
    user = User(username="user%d" % i, email="u%d@example.org" % i, first_name="First %d" % i)
    user.save()
    user.groups.add(Group.objects.get_or_create(name="group%d" % (i % 5))[0])
template = Template("""{% for user in users %}<tr class="{% cycle 'odd' 'even' %}"><td>{{ user.username|upper }}</td>
<td>{{ user.email|default:"none"|truncatechars:20 }}</td><td>{% if user.is_staff %}staff{% else %}{{ user.date_joined|date:"Y-m-d" }}
{% endif %}</td>{% for g in user.groups.all %}<td>{{ g.name|title }}</td>{% endfor %}</tr>{% endfor %}""")
for _ in range(140 * int(sys.argv[1])):
    text = template.render(Context({"users": list(User.objects.prefetch_related("groups").order_by("username"))}))
    User.objects.filter(username__startswith="user1", groups__name="group1").exclude(email="").count()
print(len(text))
