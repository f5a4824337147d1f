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
(* An answer may be handled at any time after it was given.  A ping or a   *)
(* request of the client reaches its server every P at the latest; P = S   *)
(* is a client, or a network, that may be frozen as long as the session    *)
(* lasts.                                                                  *)
(***************************************************************************)
EXTENDS Integers

CONSTANTS
    S,          \* the session time-out
    H,          \* how long a follower keeps to itself whom it has heard
    D,          \* how long a deposed leader goes on answering
    P,          \* how long a client may be unheard by its server
    Rule        \* what an answer is good for

(* "anchor"  class Lease: S/2 from when the request was sent; or up to     *)
(*           2S/3, but no longer than 5S/6 from when an earlier one was    *)
(*           sent that had been answered more than H (there: S/8) before   *)
(* "strict"  as "anchor", but nothing without the earlier one              *)
(* "send"    2S/3 from when the request was sent                           *)
(* "answer"  as "anchor", but from when the answer came                    *)
(* "read"    as "anchor", but of any request, also one that a follower     *)
(*           answers alone                                                 *)
Rules == {"anchor", "strict", "send", "answer", "read"}

ASSUME S > 0 /\ S % 6 = 0 /\ H \in 0..S /\ D \in 0..S /\ P \in 1..S /\ Rule \in Rules

VARIABLES
    rest,       \* until the leader expires the session; 0: it has
    linked,     \* whether the follower reaches the leader
    touched,    \* whether the follower has something to report
    quiet,      \* for how long it has
    unheard,    \* for how long the client's server has not heard of it
    deposed,    \* how long the client's server, a deposed leader, goes on
    elected,    \* whether there was an election
    request,    \* the client's request: how far it is, its age
    candidate,  \* an answered request: its age, since when answered
    anchor,     \* the age of the earlier one that counts
    lease       \* how long the lease is good; 0: it is over

servers == <<rest, linked, touched, quiet, unheard, deposed, elected>>
memory == <<candidate, anchor>>
vars == <<servers, request, memory, lease>>

None == [st |-> "none", age |-> 0]
Never == [age |-> S, answered |-> 0]

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Older(a) == Min(a + 1, S)

Init ==
    /\ rest = S /\ linked = TRUE /\ touched = FALSE /\ quiet = 0 /\ unheard = 0
    /\ deposed = 0 /\ elected = FALSE
    /\ request = None /\ candidate = Never /\ anchor = S /\ lease = 0

(* Time passes, unless somebody must speak first.                          *)
Tick ==
    /\ ~(linked /\ touched /\ quiet = H)
    /\ ~(linked /\ unheard = P)
    /\ rest' = Max(rest - 1, 0)
    /\ lease' = Max(lease - 1, 0)
    /\ quiet' = IF linked /\ touched THEN quiet + 1 ELSE 0
    /\ unheard' = IF linked THEN Min(unheard + 1, P) ELSE 0
    /\ deposed' = Max(deposed - 1, 0)
    /\ request' = IF request.st = "none" THEN None ELSE [request EXCEPT !.age = Older(@)]
    /\ candidate' = IF Older(candidate.age) = S THEN Never
                    ELSE [age |-> Older(candidate.age), answered |-> Older(candidate.answered)]
    /\ anchor' = Older(anchor)
    /\ UNCHANGED <<linked, touched, elected>>

Send ==
    /\ request.st = "none"
    /\ request' = [st |-> "sent", age |-> 0]
    /\ UNCHANGED <<servers, memory, lease>>

(* The request passes the leader, or a server that takes itself for it.    *)
Pass ==
    /\ request.st = "sent"
    /\ \/ rest > 0 /\ linked
       \/ deposed > 0
       \/ Rule = "read"
    /\ request' = [request EXCEPT !.st = "passed"]
    /\ touched' = linked
    /\ unheard' = 0
    /\ UNCHANGED <<rest, linked, quiet, deposed, elected, memory, lease>>

(* The answer is handled: Lease.confirm.                                   *)
Answer ==
    /\ request.st = "passed"
    /\ LET due == candidate # Never /\ candidate.answered - request.age > H
           known == IF due THEN candidate.age ELSE anchor
           heard == IF known < S THEN Min((5 * S) \div 6 - (known - request.age), (2 * S) \div 3) ELSE 0
           lasting == CASE Rule = "send" -> (2 * S) \div 3
                        [] Rule = "strict" -> heard
                        [] OTHER -> Max(S \div 2, heard)
       IN /\ anchor' = known
          /\ candidate' = IF due \/ candidate = Never THEN [age |-> request.age, answered |-> 0]
                          ELSE candidate
          /\ lease' = Max(lease, IF Rule = "answer" THEN lasting ELSE lasting - request.age)
    /\ request' = None
    /\ UNCHANGED servers

(* The answer, or the request itself, is lost.                             *)
Lose ==
    /\ request.st # "none"
    /\ request' = None
    /\ UNCHANGED <<servers, memory, lease>>

(* The client's pings reach its server, which is all that they do.         *)
Ping ==
    /\ linked
    /\ touched' = TRUE /\ unheard' = 0
    /\ UNCHANGED <<rest, linked, quiet, deposed, elected, request, memory, lease>>

Report ==
    /\ linked /\ touched
    /\ rest' = IF rest > 0 THEN S ELSE 0
    /\ touched' = FALSE /\ quiet' = 0
    /\ UNCHANGED <<linked, unheard, deposed, elected, request, memory, lease>>

(* The follower is cut off; it may go on answering reads and pings.        *)
Cut ==
    /\ linked
    /\ linked' = FALSE /\ touched' = FALSE /\ quiet' = 0 /\ unheard' = 0
    /\ UNCHANGED <<rest, deposed, elected, request, memory, lease>>

(* A new leader is elected, while the client talks to the old one.         *)
Elect ==
    /\ ~elected /\ rest > 0
    /\ elected' = TRUE /\ linked' = FALSE /\ touched' = FALSE /\ quiet' = 0 /\ unheard' = 0
    /\ rest' = S /\ deposed' = D
    /\ UNCHANGED <<request, memory, lease>>

(* The client connects to another server; the leader hears of that.        *)
Move ==
    /\ ~linked /\ rest > 0
    /\ linked' = TRUE /\ touched' = FALSE /\ quiet' = 0 /\ unheard' = 0 /\ rest' = S /\ deposed' = 0
    /\ request' = None
    /\ UNCHANGED <<elected, memory, lease>>

Next == Tick \/ Send \/ Pass \/ Answer \/ Lose \/ Ping \/ Report \/ Cut \/ Elect \/ Move

Spec == Init /\ [][Next]_vars

(* Promise 2's ground: a valid lease means a live session.                 *)
LeaseIsTrue == lease > 0 => rest > 0

=============================================================================
