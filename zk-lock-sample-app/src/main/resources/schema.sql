create table if not exists event (
	id varchar(64) primary key,
	capacity int not null,
	remaining int not null,
	-- The fencing token of the last sale: smaller ones are refused
	fence bigint default 0 not null
);

-- No unique constraint on purpose: it is the lock that keeps a ticket from being sold twice
create table if not exists ticket (
	id bigint generated always as identity primary key,
	event_id varchar(64) not null,
	number int not null,
	buyer varchar(64) not null
);

create index if not exists ticket_by_event on ticket (event_id, number);
