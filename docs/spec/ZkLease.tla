------------------------------- MODULE ZkLease ------------------------------
(***************************************************************************)
(* The lease: while it is valid by the client's clock, the leader has not  *)
(* expired the session.  ZkLock builds on this.                            *)
(*                                                                         *)
(* Time is counted in units of which the session time-out has S.  The      *)
(* leader expires a session that it has not heard of for S.  It hears of a *)
(* session when the client connects, and from then on from the follower    *)
(* that the client talks to, which reports every H at the latest whom it   *)
(* has heard: a request that is forwarded tells the leader nothing         *)
(* (LeaderZooKeeperServer.submitLearnerRequest and PrepRequestProcessor of *)
(* ZooKeeper 3.9 only check the session).                                  *)
(*                                                                         *)
(* A transaction is a quorum's word.  A sync is not: a leader that was     *)
(* deposed and has not noticed answers it, for D at most.  (D = 0 where    *)
(* only transactions count.)  The new leader gives each session S from its *)
(* election.                                                               *)
(*                                                                         *)
(* An answer may be handled at any time after it was given.  A client, or  *)
(* its network, may be frozen for as long as it likes.  When the client    *)
(* takes the session over the leader has heard of it at most S/2 before.   *)
(***************************************************************************)
EXTENDS Integers

CONSTANTS
    S,          \* the session time-out
    H,          \* how long a follower keeps to itself whom it has heard
    D,          \* how long a deposed leader goes on answering
    Rule        \* what an answer is good for

(* "heard"   class Lease: a transaction, 2S/3 from when it was sent, but   *)
(*           no longer than 5S/6 from a moment from which on the leader    *)
(*           has heard of the session: when an earlier request was sent,   *)
(*           which had been answered more than H (there: S/8) before, or   *)
(*           one that was lost with its connection                         *)
(* "soon"    as "heard", but any answered request counts as an earlier one *)
(* "lone"    as "heard", but at least S/2                                  *)
(* "send"    2S/3 from when the transaction was sent                       *)
(* "answer"  as "heard", but from when the answer came                     *)
(* "read"    as "heard", but of any request, also one that a follower      *)
(*           answers alone                                                 *)
(* "cut"     as "heard", but a request that was lost without its           *)
(*           connection counts too                                         *)
Rules == {"heard", "soon", "lone", "send", "answer", "read", "cut"}

ASSUME S > 0 /\ S % 6 = 0 /\ H \in 0..S /\ D \in 0..S /\ Rule \in Rules

VARIABLES
    rest,       \* until the leader expires the session; 0: it has
    linked,     \* whether the follower reaches the leader
    touched,    \* whether the follower has something to report
    quiet,      \* for how long it has
    deposed,    \* how long the client's server, a deposed leader, goes on
    elected,    \* whether there was an election
    request,    \* the client's request: how far it is, of what kind, its age
    candidate,  \* an answered request: its age, since when answered
    heard,      \* how long ago the leader has heard of us at the latest
    lease       \* how long the lease is good; 0: it is over

servers == <<rest, linked, touched, quiet, deposed, elected>>
memory == <<candidate, heard>>
vars == <<servers, request, memory, lease>>

None == [st |-> "none", kind |-> "read", age |-> 0]
Never == [age |-> S, answered |-> 0]

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Older(a) == Min(a + 1, S)

Init ==
    /\ rest \in (S \div 2)..S /\ linked = TRUE /\ touched = FALSE /\ quiet = 0
    /\ deposed = 0 /\ elected = FALSE
    /\ request = None /\ candidate = Never /\ heard = S \div 2 /\ lease = 0

(* Time passes, unless somebody must speak first.                          *)
Tick ==
    /\ ~(linked /\ touched /\ quiet = H)
    /\ rest' = Max(rest - 1, 0)
    /\ lease' = Max(lease - 1, 0)
    /\ quiet' = IF linked /\ touched THEN quiet + 1 ELSE 0
    /\ deposed' = Max(deposed - 1, 0)
    /\ request' = IF request.st = "none" THEN None ELSE [request EXCEPT !.age = Older(@)]
    /\ candidate' = IF Older(candidate.age) = S THEN Never
                    ELSE [age |-> Older(candidate.age), answered |-> Older(candidate.answered)]
    /\ heard' = Older(heard)
    /\ UNCHANGED <<linked, touched, elected>>

Send ==
    /\ request.st = "none"
    /\ \E kind \in {"read", "transaction"}: request' = [st |-> "sent", kind |-> kind, age |-> 0]
    /\ UNCHANGED <<servers, memory, lease>>

(* A transaction passes the leader, or a server that takes itself for it;  *)
(* a read passes whatever server the client talks to.                      *)
Pass ==
    /\ request.st = "sent"
    /\ \/ rest > 0 /\ linked
       \/ deposed > 0
       \/ request.kind = "read"
    /\ request' = [request EXCEPT !.st = "passed"]
    /\ touched' = linked
    /\ UNCHANGED <<rest, linked, quiet, deposed, elected, memory, lease>>

(* The answer is handled: Lease.answered, Lease.confirm.                   *)
Answer ==
    /\ request.st = "passed"
    /\ LET due == /\ candidate # Never
                  /\ candidate.answered - request.age > (IF Rule = "soon" THEN -1 ELSE H)
           known == IF due THEN Min(heard, candidate.age) ELSE heard
           count == IF known < S THEN Min((5 * S) \div 6 - (known - request.age), (2 * S) \div 3) ELSE 0
           lasting == CASE Rule = "send" -> (2 * S) \div 3
                        [] Rule = "lone" -> Max(S \div 2, count)
                        [] OTHER -> count
           counts == request.kind = "transaction" \/ Rule = "read"
       IN /\ heard' = known
          /\ candidate' = IF due \/ candidate = Never THEN [age |-> request.age, answered |-> 0]
                          ELSE candidate
          /\ lease' = IF counts THEN Max(lease, IF Rule = "answer" THEN lasting ELSE lasting - request.age)
                      ELSE lease
    /\ request' = None
    /\ UNCHANGED servers

(* The answer, or the request itself, is lost, and nobody is told why.     *)
Lose ==
    /\ request.st # "none"
    /\ request' = None
    /\ heard' = IF Rule = "cut" THEN Min(heard, request.age) ELSE heard
    /\ UNCHANGED <<servers, candidate, lease>>

(* The connection is lost, and the client has a new one, to the same       *)
(* server or another; the leader hears of that.  A request that was lost   *)
(* with the old one was sent before: Lease.disconnected.                   *)
Connect ==
    /\ rest > 0
    /\ linked' = TRUE /\ touched' = FALSE /\ quiet' = 0 /\ rest' = S /\ deposed' = 0
    /\ request' = None
    /\ heard' = IF request.st # "none" THEN Min(heard, request.age) ELSE heard
    /\ UNCHANGED <<elected, candidate, lease>>

(* The client's pings reach its server, which is all that they do.         *)
Ping ==
    /\ linked
    /\ touched' = TRUE
    /\ UNCHANGED <<rest, linked, quiet, deposed, elected, request, memory, lease>>

Report ==
    /\ linked /\ touched
    /\ rest' = IF rest > 0 THEN S ELSE 0
    /\ touched' = FALSE /\ quiet' = 0
    /\ UNCHANGED <<linked, deposed, elected, request, memory, lease>>

(* The follower is cut off; it may go on answering reads and pings.        *)
Cut ==
    /\ linked
    /\ linked' = FALSE /\ touched' = FALSE /\ quiet' = 0
    /\ UNCHANGED <<rest, deposed, elected, request, memory, lease>>

(* A new leader is elected, while the client talks to the old one.         *)
Elect ==
    /\ ~elected /\ rest > 0
    /\ elected' = TRUE /\ linked' = FALSE /\ touched' = FALSE /\ quiet' = 0
    /\ rest' = S /\ deposed' = D
    /\ UNCHANGED <<request, memory, lease>>

Next == Tick \/ Send \/ Pass \/ Answer \/ Lose \/ Ping \/ Report \/ Cut \/ Elect \/ Connect

Spec == Init /\ [][Next]_vars

(* Promise 2's ground: a valid lease means a live session.                 *)
LeaseIsTrue == lease > 0 => rest > 0

=============================================================================
