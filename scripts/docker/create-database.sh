#!/bin/sh
# Creates Outdial's database and its user, who isn't a superuser. The image of PostgreSQL runs this once, in a new volume.
set -eu
psql --username "$POSTGRES_USER" --dbname postgres --set ON_ERROR_STOP=1 --set password="$POSTGRES_PASSWORD" <<'SQL'
create role outdial login password :'password';
create role outdial_workspace nologin;
create role outdial_service nologin;
grant outdial_workspace, outdial_service to outdial;
create database outdial owner outdial encoding 'UTF8' template template0;
-- Without a password, the superuser can connect only from inside the container.
alter role current_user password null;
SQL
