------------------------------- MODULE ZkLease ------------------------------
(***************************************************************************)
(* The lease: while it is valid by the client's clock, the servers have    *)
(* not closed the session.  ZkLock builds on this.                         *)
(*                                                                         *)
(* Time is counted in units, of which the session time-out has S.  What    *)
(* ZooKeeper 3.9 does, by its sources:                                     *)
(*                                                                         *)
(*  - The leader pings its followers every H.  A follower's reply names    *)
(*    the sessions that have used it since the reply before.  By that, and *)
(*    by a client that connects, the leader hears of a session; a request  *)
(*    that is only passed on tells it nothing.                             *)
(*  - A session that the leader has not heard of for S is overdue.  The    *)
(*    leader takes all that are overdue out of its queue at once, and      *)
(*    closes one after the other.  Until it comes to ours the session is   *)
(*    doomed: it is served as before, and hearing of it does not help.     *)
(*  - Packets between two servers keep their order, in each direction by   *)
(*    itself.  Each entry of the two queues here waits for as long as it   *)
(*    likes, so a link that is cut and heals is only a slow one.           *)
(*  - A follower that leaves its leader closes its clients' connections.   *)
(*    So one connection means one leader.                                  *)
(*  - A new leader gives each session S from its election.  The old one    *)
(*    may not notice, and goes on answering syncs, but no transaction.     *)
(*                                                                         *)
(* A client that is frozen does nothing, as every action of its own may    *)
(* wait.  A request that waits before the follower is as one that is sent  *)
(* later, and an answer that waits behind it as one that is handled later. *)
(* There is one request under way.                                         *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS
    S,          \* the session time-out
    H,          \* from one of the leader's pings to the next
    G,          \* the gap between a receipt's answer and the next one's sending
    Rule,       \* what an answer is good for
    Faults      \* what may go wrong besides slow links and frozen clients

(* "built"     class Lease.  A receipt is the answer to a sync or to a     *)
(*             transaction.  Two, the second sent G after the first one's  *)
(*             answer, make a moment: when the first was sent.  A          *)
(*             transaction makes a lease of the moments before it: until   *)
(*             5S/6 from the newest, and no longer than S from the second; *)
(*             but only if the lease is still valid, or the fourth is      *)
(*             younger than S.  A request that was lost with its           *)
(*             connection is three moments, and older ones are forgotten   *)
(* "three"     as "built", but a third that is younger than S is enough,   *)
(*             and a request that was lost is two moments                  *)
(* "two"       as "three", but a second that is younger than S is enough   *)
(* "own"       as "built", but a transaction serves as the second receipt  *)
(*             and makes a lease of that at once                           *)
(* "newest"    as "built", but not bounded by the second moment            *)
(* "soon"      as "built", without the gap                                 *)
(* "answer"    as "built", but a lease begins with the transaction's answer *)
(* "sync"      as "built", but a sync makes a lease, too                   *)
(* "kept"      as "built", but moments are kept across connections         *)
(* "cut"       as "built", but a request that was lost without its         *)
(*             connection is as one that was lost with it                  *)
(* "chain"     two receipts and a transaction in a row: 5S/6 from the      *)
(*             newest moment, whatever was before                          *)
(* "answered"  the rule before that: any two requests in a row, the second *)
(*             a transaction, which is good for 5S/6 from the moment, but  *)
(*             no longer than 2S/3 from when it was sent                   *)
(* "passed"    as "answered", with transactions only                       *)
Rules == {"built", "three", "two", "own", "newest", "soon", "answer", "sync", "kept", "cut", "chain",
          "answered", "passed"}

(* "reconnect" the client has new connections                              *)
(* "doom"      a session is doomed before it is closed, for less than G    *)
(* "freeze"    the leader stands still, once, for as long as it likes, but *)
(*             not between a session's doom and its close                  *)
(* "freezes"   as "freeze", again and again, with S in between             *)
(* "often"     as "freeze", again and again, with nothing in between       *)
(* "still"     the leader stands still between a doom and the close        *)
(* "election"  new leaders are elected, while the client talks to the old  *)
ASSUME Faults \subseteq {"reconnect", "doom", "freeze", "freezes", "often", "still", "election"}

ASSUME S > 0 /\ S % 6 = 0 /\ H \in 1..S /\ G \in (H + 1)..S /\ Rule \in Rules

VARIABLES
    session,    \* at the leader: "alive", "doomed" or "closed"
    rest,       \* until it is overdue, or, if doomed, until it is closed
    due,        \* until the next ping is due
    frozen,     \* whether the leader stands still
    calm,       \* for how long it has not
    deposed,    \* whether the client's server talks to a deposed leader
    up,         \* from the follower to the leader: requests, replies that name us
    down,       \* from the leader to the follower: answers, pings
    touched,    \* whether the follower's next reply names us
    request,    \* the client's request, its age, and whether it came after the gap
    first,      \* the first receipt of two: its age, since when answered
    moments,    \* how long ago the leader has heard of us: the last four
    lease       \* how long the lease is good; 0: it is over

leader == <<session, rest, due, frozen, calm, deposed>>
link == <<up, down, touched>>
memory == <<first, moments, lease>>
vars == <<leader, link, request, memory>>

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Less(a) == Max(a - 1, 0)
Older(a) == Min(a + 1, S)

None == [kind |-> "none", age |-> 0, apart |-> FALSE]
NoReceipt == [age |-> S, answered |-> G]

Kinds ==
    {"write"}
    \cup (IF "election" \in Faults THEN {"sync"} ELSE {})
    \cup (IF Rule = "answered" THEN {"read"} ELSE {})

(* The session has just been made, and just before the client had none.    *)
Init ==
    /\ session = "alive" /\ rest = S /\ due = H /\ frozen = FALSE /\ calm = S /\ deposed = FALSE
    /\ up = <<>> /\ down = <<>> /\ touched = FALSE
    /\ request = None /\ first = NoReceipt /\ moments = <<0, 0, 0, 0>> /\ lease = 0

----------------------------------------------------------------------------
(* The leader                                                              *)

Running == ~frozen /\ session # "closed"

(* Time passes, unless the leader must ping, or close, first.              *)
Tick ==
    /\ session # "closed"
    /\ frozen \/ (rest > 0 /\ due > 0)
    /\ rest' = IF frozen /\ session = "doomed" THEN rest ELSE Less(rest)
    /\ due' = IF frozen \/ deposed THEN due ELSE due - 1
    /\ calm' = IF frozen \/ "freezes" \notin Faults THEN calm ELSE Older(calm)
    /\ request' = IF request = None THEN None ELSE [request EXCEPT !.age = Older(@)]
    /\ first' = IF Older(first.age) = S THEN NoReceipt
                ELSE [age |-> Older(first.age), answered |-> Min(first.answered + 1, G)]
    /\ moments' = [i \in 1..4 |-> Older(moments[i])]
    /\ lease' = Less(lease)
    /\ UNCHANGED <<session, frozen, deposed, link>>

(* Equal entries one behind the other are as one, which may be read again. *)
Add(queue, entry) ==
    IF queue # <<>> /\ queue[Len(queue)] = entry THEN queue ELSE Append(queue, entry)

Ping ==
    /\ Running /\ ~deposed /\ due < H
    /\ due' = H /\ down' = Add(down, "ping")
    /\ UNCHANGED <<session, rest, frozen, calm, deposed, up, touched, request, memory>>

(* A reply that names us.                                                  *)
Hear ==
    /\ Running /\ ~deposed /\ up # <<>> /\ Head(up) = "touch"
    /\ up' \in {up, Tail(up)}
    /\ rest' = IF session = "alive" THEN S ELSE rest
    /\ UNCHANGED <<session, due, frozen, calm, deposed, down, touched, request, memory>>

(* A request.  A deposed leader has no quorum for a transaction.           *)
Handle ==
    /\ Running /\ up # <<>> /\ Head(up) = "request"
    /\ request.kind = "sync" \/ ~deposed
    /\ up' = Tail(up) /\ down' = Append(down, "answer")
    /\ UNCHANGED <<leader, touched, request, memory>>

(* What is left of a session that is closed: an answer on its way.         *)
Closed ==
    /\ session' = "closed" /\ rest' = 0 /\ due' = H /\ calm' = S /\ deposed' = FALSE
    /\ up' = <<>> /\ touched' = FALSE
    /\ down' = SelectSeq(down, LAMBDA entry: entry = "answer")
    /\ UNCHANGED <<frozen, request, memory>>

Expire ==
    /\ Running /\ session = "alive" /\ rest = 0
    /\ IF "doom" \in Faults
       THEN /\ session' = "doomed" /\ rest' = G - 1
            /\ UNCHANGED <<due, frozen, calm, deposed, link, request, memory>>
       ELSE Closed

Close ==
    /\ Running /\ session = "doomed"
    /\ Closed

Freeze ==
    /\ Running /\ ~deposed /\ calm = S
    /\ IF session = "doomed" THEN "still" \in Faults
       ELSE Faults \cap {"freeze", "freezes", "often"} # {}
    /\ frozen' = TRUE /\ calm' = IF "often" \in Faults THEN S ELSE 0
    /\ UNCHANGED <<session, rest, due, deposed, link, request, memory>>

Thaw ==
    /\ frozen
    /\ frozen' = FALSE
    /\ UNCHANGED <<session, rest, due, calm, deposed, link, request, memory>>

(* What the old leader hears from now on is of no use to anybody.          *)
Elect ==
    /\ "election" \in Faults
    /\ session # "closed" /\ ~deposed
    /\ session' = "alive" /\ rest' = S /\ due' = H /\ frozen' = FALSE /\ deposed' = TRUE
    /\ up' = SelectSeq(up, LAMBDA entry: entry # "touch")
    /\ down' = SelectSeq(down, LAMBDA entry: entry # "ping")
    /\ touched' = FALSE
    /\ UNCHANGED <<calm, request, memory>>

----------------------------------------------------------------------------
(* The follower                                                            *)

Reply ==
    /\ session # "closed"
    /\ down # <<>> /\ Head(down) = "ping"
    /\ down' \in {down, Tail(down)}
    /\ up' = IF touched THEN Add(up, "touch") ELSE up
    /\ touched' = FALSE
    /\ UNCHANGED <<leader, request, memory>>

(* The client's pings reach it, which is all that they do.                 *)
Touch ==
    /\ session # "closed" /\ ~deposed
    /\ touched' = TRUE
    /\ UNCHANGED <<leader, up, down, request, memory>>

----------------------------------------------------------------------------
(* The client: class Lease                                                 *)

Gap == IF Rule = "soon" THEN 0 ELSE G

Send ==
    /\ request = None /\ session # "closed"
    /\ \E kind \in Kinds:
           /\ request' = [kind |-> kind, age |-> 0,
                          apart |-> first # NoReceipt /\ first.answered >= Gap]
           /\ up' = IF kind = "read" THEN up ELSE Append(up, "request")
    /\ touched' = ~deposed
    /\ UNCHANGED <<leader, down, memory>>

(* Until when these moments are good for a transaction of that age.        *)
Until(known, age) ==
    CASE Rule \in {"answered", "passed"} ->
             IF known[1] < S THEN Min((5 * S) \div 6 - known[1], (2 * S) \div 3 - age) ELSE 0
      [] Rule \in {"chain", "newest"} -> (5 * S) \div 6 - known[1]
      [] Rule = "answer" -> Min((5 * S) \div 6 - known[1], S - known[2]) + age
      [] OTHER -> Min((5 * S) \div 6 - known[1], S - known[2])

Recent(known) ==
    CASE Rule \in {"answered", "passed", "chain"} -> TRUE
      [] Rule = "two" -> known[2] < S
      [] Rule = "three" -> known[3] < S
      [] OTHER -> known[4] < S

(* Lease.received, and Lease.confirm before it.                            *)
Receive ==
    /\ \/ request.kind = "read" /\ UNCHANGED down
       \/ down # <<>> /\ Head(down) = "answer" /\ down' = Tail(down)
    /\ moments' = IF request.apart THEN <<first.age, moments[1], moments[2], moments[3]>> ELSE moments
    /\ LET known == IF Rule \in {"own", "answered", "passed"} THEN moments' ELSE moments
           counts == /\ request.kind = "write" \/ (Rule = "sync" /\ request.kind = "sync")
                     /\ lease > 0 \/ Recent(known)
       IN lease' = IF counts THEN Max(lease, Until(known, request.age)) ELSE lease
    /\ first' = IF request.apart \/ first = NoReceipt
                THEN [age |-> request.age, answered |-> 0]
                ELSE first
    /\ request' = None
    /\ UNCHANGED <<leader, up, touched>>

(* Lease.lost.                                                             *)
Lost ==
    /\ LET before == IF Rule = "kept" THEN moments[1] ELSE S
       IN moments' = <<request.age, request.age, IF Rule \in {"two", "three"} THEN before ELSE request.age,
                       before>>
    /\ first' = NoReceipt
    /\ request' = None
    /\ UNCHANGED lease

(* The connection is lost, and the client has a new one, to the same       *)
(* server or another; the leader hears of that at once.  A request that    *)
(* was lost with the old one was sent before.  Without one, what class     *)
(* Lease learns (Lease.disconnected) is older than if there were one.      *)
Connect ==
    /\ "reconnect" \in Faults /\ Running /\ request # None
    /\ rest' = IF session = "alive" THEN S ELSE rest
    /\ due' = IF deposed THEN H ELSE due
    /\ deposed' = FALSE
    /\ up' = <<>> /\ down' = <<>> /\ touched' = FALSE
    /\ Lost
    /\ UNCHANGED <<session, frozen, calm>>

(* A request is lost, and its connection goes on.                          *)
Cut ==
    /\ Rule = "cut" /\ request # None
    /\ up' = SelectSeq(up, LAMBDA entry: entry # "request")
    /\ down' = SelectSeq(down, LAMBDA entry: entry # "answer")
    /\ Lost
    /\ UNCHANGED <<leader, touched>>

----------------------------------------------------------------------------
Next ==
    \/ Tick \/ Ping \/ Hear \/ Handle \/ Expire \/ Close \/ Freeze \/ Thaw \/ Elect
    \/ Reply \/ Touch
    \/ Send \/ Receive \/ Connect \/ Cut

Spec == Init /\ [][Next]_vars

(* Promise 2's ground: a valid lease means a live session.                 *)
LeaseIsTrue == lease > 0 => session # "closed"

=============================================================================
