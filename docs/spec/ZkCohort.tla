------------------------------ MODULE ZkCohort ------------------------------
(***************************************************************************)
(* The callers of one key in several clients, and the grant that those of  *)
(* one client pass on among themselves.                                    *)
(*                                                                         *)
(* Each client has a queue of callers and a stake that stands for it: a    *)
(* node in the key's line, which becomes a grant, which is passed along    *)
(* the queue.  A READ stake is held by several readers, and while it is,   *)
(* some may pass a writer of their client; when it may not be passed on    *)
(* any more it is drained beside the next one; so is a WRITE stake whose   *)
(* holder is the last before others have their turn.  A stake without      *)
(* a holder may be retained while nobody else is in line; or it lingers    *)
(* for a moment, also while others are: then LetGo comes later than it     *)
(* might, and a caller that comes before it is passed the grant within     *)
(* the bound.  A writer that is next is woken before the stake is passed   *)
(* to it, and for that moment those who come may take the stake past it.   *)
(* A caller may try once: it is refused unless it gets the key, or the     *)
(* only node in its way may be retained; behind that it waits, for a       *)
(* moment.                                                                 *)
(*                                                                         *)
(* The contest itself is module ZkLock's: here a node is created, granted  *)
(* and deleted at once, and the lease is TRUE only while the session       *)
(* cannot have expired.                                                    *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
    Clients,    \* a set
    Callers,    \* a set
    Home,       \* for each caller its client
    Modes,      \* for each caller the modes that it may ask for: "W", "R"
    Bound,      \* after how many hand-overs others have their turn
    Tokens,     \* how many tokens a grant has
    Rounds,     \* how often each caller comes; 0: without end, tokens aside
    Faults,     \* how many leases end
    GiveUps,    \* how many callers give up
    Once,       \* the callers that try once
    Retain,     \* the clients whose nodes say that they may be retained
    Bug         \* the planted mistake, or "none"

Bugs == {"none", "pass lost", "same token", "many tokens", "no bound", "overtake", "idle is busy",
         "linger on", "pass write", "never awake", "drain node"}

ASSUME Bug \in Bugs /\ Bound > 0 /\ Tokens > 0

VARIABLES
    line,       \* the nodes in the key's line, in their order, each with a number z
    zxid,       \* the last node's number, unless callers come without end
    lease,      \* for each client whether its lease is valid
    expired,    \* for each client whether its session has, and it does not know
    queue,      \* for each client its waiting callers
    stake,      \* for each client the stake that stands for the queue, or None
    others,     \* for each client its stakes that are drained or lost
    caller,     \* for each caller what it does
    budget,     \* what may still happen
    token       \* the largest tokens granted so far, whether all came in order, and
                \* whether whoever was refused was refused rightly

client == <<lease, expired>>
vars == <<line, zxid, lease, expired, queue, stake, others, caller, budget, token>>

None == [z |-> 0, m |-> "", granted |-> FALSE, passes |-> 0, bypassed |-> 0, holders |-> {}, contended |-> FALSE, lost |-> FALSE]
Idle(n) == [st |-> "idle", m |-> "", z |-> 0, n |-> n, passed |-> 0]

Endless == Rounds = 0
Max(a, b) == IF a > b THEN a ELSE b
InUse == {line[i].z : i \in 1..Len(line)} \cup {s.z : s \in UNION {others[c] : c \in Clients}}
Unused == CHOOSE n \in 1..(Cardinality(InUse) + 1) : n \notin InUse
InLine(z) == \E i \in 1..Len(line) : line[i].z = z
Excludes(m, n) == m = "W" \/ n = "W"

Drop(z) == SelectSeq(line, LAMBDA node : node.z # z)

Init ==
    /\ line = <<>> /\ zxid = 0
    /\ lease = [c \in Clients |-> TRUE] /\ expired = [c \in Clients |-> FALSE]
    /\ queue = [c \in Clients |-> <<>>]
    /\ stake = [c \in Clients |-> None] /\ others = [c \in Clients |-> {}]
    /\ caller = [k \in Callers |-> Idle(0)]
    /\ budget = [faults |-> Faults, giveUps |-> GiveUps]
    /\ token = [write |-> 0, any |-> 0, ok |-> TRUE, fair |-> TRUE]

-----------------------------------------------------------------------------
(* The callers.                                                            *)

Come(k) ==
    /\ caller[k].st = "idle" /\ (Endless \/ caller[k].n < Rounds)
    /\ \E m \in Modes[k] : caller' = [caller EXCEPT ![k] = [@ EXCEPT !.st = "waiting", !.m = m]]
    /\ queue' = [queue EXCEPT ![Home[k]] = Append(@, k)]
    /\ UNCHANGED <<line, zxid, client, stake, others, budget, token>>

GiveUp(k) ==
    /\ caller[k].st = "waiting" /\ budget.giveUps > 0
    /\ caller' = [caller EXCEPT ![k] = Idle(IF Endless THEN 0 ELSE @.n + 1)]
    /\ queue' = [queue EXCEPT ![Home[k]] = SelectSeq(@, LAMBDA j : j # k)]
    /\ budget' = [budget EXCEPT !.giveUps = @ - 1]
    /\ UNCHANGED <<line, zxid, client, stake, others, token>>

(* The last holder of a stake that is drained, or lost, takes its node     *)
(* along; what becomes of the current one is LetGo's or the next Pass's.   *)
Release(k) ==
    /\ caller[k].st = "holding"
    /\ caller' = [caller EXCEPT ![k] = Idle(IF Endless THEN 0 ELSE @.n + 1)]
    /\ LET c == Home[k]
           z == caller[k].z
       IN IF stake[c].z = z
          THEN /\ stake' = [stake EXCEPT ![c].holders = @ \ {k}]
               /\ UNCHANGED <<line, others>>
          ELSE LET old == CHOOSE s \in others[c] : s.z = z
                   rest == [old EXCEPT !.holders = @ \ {k}]
               IN /\ others' = [others EXCEPT ![c] = (@ \ {old}) \cup (IF rest.holders = {} THEN {} ELSE {rest})]
                  /\ line' = IF rest.holders = {} THEN Drop(z) ELSE line
                  /\ UNCHANGED stake
    /\ UNCHANGED <<zxid, client, queue, budget, token>>

-----------------------------------------------------------------------------
(* The cohort: Cohort.serve, CohortContender.                              *)

Valid(c, s) == s.granted /\ lease[c] /\ ~expired[c] /\ ~s.lost

(* Whether the stake may be passed on: CohortGrant.mayHandOff.  Beyond the *)
(* bound the client also waits for a look at the line; so it passes on in  *)
(* fewer states than here.                                                 *)
MayPass(c, s) ==
    /\ IF Bug = "pass lost" THEN s.granted ELSE Valid(c, s)
    /\ s.m = "R" \/ s.holders = {}
    /\ s.passes = 0 \/ (/\ s.m = "R" \/ s.passes < Tokens \/ Bug = "many tokens"
                        /\ s.passes <= Bound \/ ~s.contended \/ Bug = "no bound")

Suits(c) == stake[c] # None /\ queue[c] # <<>> /\ caller[Head(queue[c])].m = stake[c].m

(* AvailabilityCheck: who tries once enters if nobody is in the way, or    *)
(* one node alone that may be retained.                                    *)
InTheWay(m) == {i \in 1..Len(line) : Excludes(line[i].m, m)}
SeemsFree(m) ==
    \/ InTheWay(m) = {}
    \/ Bug # "idle is busy" /\ Len(line) = 1 /\ line[1].c \in Retain

(* A writer's node may be in the line behind that of its client's readers, *)
(* who drain meanwhile.                                                    *)
Contend(c) ==
    /\ stake[c] = None /\ queue[c] # <<>> /\ ~expired[c]
    /\ Head(queue[c]) \in Once => SeemsFree(caller[Head(queue[c])].m)
    /\ LET m == caller[Head(queue[c])].m
           z == IF Endless THEN Unused ELSE zxid + 1
       IN /\ stake' = [stake EXCEPT ![c] = [None EXCEPT !.z = z, !.m = m]]
          /\ line' = Append(line, [z |-> z, c |-> c, m |-> m])
          /\ zxid' = IF Endless THEN 0 ELSE z
    /\ UNCHANGED <<client, queue, others, caller, budget, token>>

Grant(c) ==
    /\ stake[c] # None /\ ~stake[c].granted /\ lease[c] /\ ~expired[c]
    /\ \E i \in 1..Len(line) : /\ line[i].z = stake[c].z
                               /\ \A j \in 1..(i - 1) : ~Excludes(line[j].m, stake[c].m)
    /\ stake' = [stake EXCEPT ![c].granted = TRUE]
    /\ UNCHANGED <<line, zxid, client, queue, others, caller, budget, token>>

(* The stake with one more holder, and the tokens with that holder's.      *)
HeldBy(s, k) ==
    [s EXCEPT !.holders = @ \cup {k},
              !.passes = IF Endless THEN (IF @ > Bound THEN @ ELSE @ + 1) ELSE @ + 1]
TokensWith(s) ==
    LET given == s.z * Tokens + (IF s.m = "R" \/ Bug = "same token" THEN 0 ELSE s.passes)
    IN IF Endless THEN token
       ELSE [token EXCEPT !.write = IF s.m = "W" THEN Max(token.write, given) ELSE token.write,
             !.any = Max(token.any, given),
             !.ok = token.ok /\ given > (IF s.m = "W" THEN token.any ELSE token.write)]

(* The head of the queue becomes a holder; or, while readers hold, the     *)
(* first reader, past the writers before it, or the first writer past the  *)
(* readers: so often at most that the nodes of those who are passed come   *)
(* into the line (in the code: for so long).                               *)
Passes(c, k) ==
    /\ caller[k].m = stake[c].m /\ caller[Head(queue[c])].m # stake[c].m
    /\ stake[c].m = "R" => stake[c].holders # {}
FirstOfMode(c, i) == \A j \in 1..(i - 1) : caller[queue[c][j]].m # caller[queue[c][i]].m
MayBypass(c) == stake[c].bypassed < Bound \/ Bug = "overtake"

Pass(c) ==
    /\ stake[c] # None /\ queue[c] # <<>> /\ MayPass(c, stake[c])
    /\ \E i \in 1..Len(queue[c]) :
        LET k == queue[c][i]
            s == stake[c]
        IN /\ k = Head(queue[c]) \/ (Passes(c, k) /\ FirstOfMode(c, i) /\ MayBypass(c))
           /\ caller[k].m = s.m
           /\ caller' = [caller EXCEPT ![k] = [@ EXCEPT !.st = "holding", !.z = s.z, !.passed = 0]]
           /\ queue' = [queue EXCEPT ![c] = SelectSeq(@, LAMBDA j : j # k)]
           /\ stake' = [stake EXCEPT ![c] = [HeldBy(s, k) EXCEPT
                   !.bypassed = IF k = Head(queue[c]) \/ @ >= Bound THEN @ ELSE @ + 1]]
           /\ token' = TokensWith(s)
    /\ UNCHANGED <<line, zxid, client, others, budget>>

(* While the writer that is next wakes, another one that comes may take    *)
(* the stake past it, wherever it might be passed on: so often at most (in *)
(* the code: for a moment).                                                *)
TakeWhileWaking(k) ==
    LET c == Home[k]
        s == stake[c]
        next == Head(queue[c])
    IN /\ caller[k].st = "idle" /\ (Endless \/ caller[k].n < Rounds)
       /\ "W" \in Modes[k] /\ k \notin Once
       /\ s.m = "W" /\ s.passes > 0 /\ MayPass(c, s)
       /\ Suits(c) /\ next \notin Once
       /\ caller[next].passed < Bound \/ Bug = "never awake"
       /\ caller' = [caller EXCEPT ![k] = [@ EXCEPT !.st = "holding", !.m = "W", !.z = s.z],
                                   ![next].passed = IF @ >= Bound THEN @ ELSE @ + 1]
       /\ stake' = [stake EXCEPT ![c] = HeldBy(s, k)]
       /\ token' = TokensWith(s)
       /\ UNCHANGED <<line, zxid, client, queue, others, budget>>

(* Only a mistake lets a reader pass a writer whose node is in the line.   *)
PassWrite(c) ==
    /\ Bug = "pass write" /\ stake[c].m = "W" /\ ~stake[c].granted
    /\ \E i \in 1..Len(queue[c]), s \in others[c] :
        LET k == queue[c][i]
        IN /\ caller[k].m = "R" /\ s.m = "R" /\ ~s.lost
           /\ caller' = [caller EXCEPT ![k] = [@ EXCEPT !.st = "holding", !.z = s.z]]
           /\ queue' = [queue EXCEPT ![c] = SelectSeq(@, LAMBDA j : j # k)]
           /\ others' = [others EXCEPT ![c] = (@ \ {s}) \cup {[s EXCEPT !.holders = @ \cup {k}]}]
    /\ UNCHANGED <<line, zxid, client, stake, budget, token>>

(* The key is busy for the one who tries once: it was seen so, or the node *)
(* before ours has not given way in time; if it is only retained it does.  *)
HeldAhead(c) ==
    \E i, j \in 1..Len(line) : /\ i < j /\ line[j].z = stake[c].z /\ Excludes(line[i].m, stake[c].m)
                               /\ \E k \in Callers : caller[k].st = "holding" /\ caller[k].z = line[i].z

Refuse(c) ==
    /\ queue[c] # <<>> /\ Head(queue[c]) \in Once
    /\ LET k == Head(queue[c])
           m == caller[k].m
           rightly == Len(line) > 1 \/ \E j \in Callers \ {k} : caller[j].st # "idle"
       IN /\ CASE stake[c] = None -> ~SeemsFree(m)
               [] stake[c].granted -> stake[c].holders # {} /\ ~(Suits(c) /\ MayPass(c, stake[c]))
               [] OTHER -> HeldAhead(c)
          /\ caller' = [caller EXCEPT ![k] = Idle(IF Endless THEN 0 ELSE @.n + 1)]
          /\ token' = [token EXCEPT !.fair = @ /\ rightly]
    /\ queue' = [queue EXCEPT ![c] = Tail(@)]
    /\ UNCHANGED <<line, zxid, client, stake, others, budget>>

(* A stake that nobody holds and that does not suit, or may not be passed  *)
(* on, is let go; or one that nobody here wants and that is not, or no     *)
(* longer, retained.                                                       *)
LetGo(c) ==
    /\ stake[c] # None /\ stake[c].holders = {}
    /\ ~(Bug = "linger on" /\ stake[c].granted /\ queue[c] = <<>>)
    /\ \/ queue[c] = <<>>
       \/ ~Suits(c)
       \/ stake[c].granted /\ ~MayPass(c, stake[c])
    /\ line' = Drop(stake[c].z)
    /\ stake' = [stake EXCEPT ![c] = None]
    /\ UNCHANGED <<zxid, client, queue, others, caller, budget, token>>

(* A writer's stake is drained too, so that the next writer's node is in   *)
(* the line before this one goes: CohortGrant.isHeldLast.  It had others   *)
(* before, and others elsewhere wait (in the code: its time is about to    *)
(* end, too).                                                              *)
HeldLast(c) ==
    /\ stake[c].granted /\ stake[c].contended /\ stake[c].passes > 1
    /\ Suits(c) /\ Head(queue[c]) \notin Once

(* Also when readers have passed a writer for long enough, or sooner.      *)
(* Only a mistake lets the node go with that.                              *)
Drain(c) ==
    /\ stake[c].holders # {} /\ queue[c] # <<>>
    /\ IF stake[c].m = "R" THEN caller[Head(queue[c])].m = "W" \/ ~MayPass(c, stake[c]) ELSE HeldLast(c)
    /\ others' = [others EXCEPT ![c] = @ \cup {stake[c]}]
    /\ stake' = [stake EXCEPT ![c] = None]
    /\ line' = IF Bug = "drain node" /\ stake[c].m = "W" THEN Drop(stake[c].z) ELSE line
    /\ UNCHANGED <<zxid, client, queue, caller, budget, token>>

(* The watch on the line: somebody else stands behind.                     *)
Contended(c) ==
    /\ stake[c].granted /\ ~stake[c].contended
    /\ \E i, j \in 1..Len(line) : /\ i < j /\ line[i].z = stake[c].z
                                  /\ line[j].c # c /\ Excludes(line[j].m, stake[c].m)
    /\ stake' = [stake EXCEPT ![c].contended = TRUE]
    /\ UNCHANGED <<line, zxid, client, queue, others, caller, budget, token>>

-----------------------------------------------------------------------------
(* Sessions.                                                               *)

Lapse(c) ==
    /\ lease[c] /\ budget.faults > 0
    /\ lease' = [lease EXCEPT ![c] = FALSE]
    /\ budget' = [budget EXCEPT !.faults = @ - 1]
    /\ UNCHANGED <<line, zxid, expired, queue, stake, others, caller, token>>

Expire(c) ==
    /\ ~lease[c] /\ ~expired[c]
    /\ expired' = [expired EXCEPT ![c] = TRUE]
    /\ line' = SelectSeq(line, LAMBDA node : node.c # c)
    /\ UNCHANGED <<zxid, lease, queue, stake, others, caller, budget, token>>

(* The client finds the lease over: its grants are lost, for good.  The    *)
(* nodes of those that are held stay until their holders leave, if the     *)
(* session lives.  After the session's end a stake begins anew.            *)
Learn(c) ==
    /\ ~lease[c]
    /\ lease' = [lease EXCEPT ![c] = TRUE]
    /\ expired' = [expired EXCEPT ![c] = FALSE]
    /\ LET s == stake[c]
           dead == s.granted \/ expired[c]
           gone == [s EXCEPT !.lost = TRUE]
       IN /\ stake' = [stake EXCEPT ![c] = IF dead THEN None ELSE s]
          /\ others' = [others EXCEPT ![c] = {[o EXCEPT !.lost = TRUE] : o \in others[c]}
                                             \cup (IF s.granted /\ s.holders # {} THEN {gone} ELSE {})]
          /\ line' = IF s.granted /\ s.holders = {} THEN Drop(s.z) ELSE line
    /\ UNCHANGED <<zxid, queue, caller, budget, token>>

-----------------------------------------------------------------------------

Done ==
    /\ \A k \in Callers : caller[k].st = "idle" /\ ~Endless /\ caller[k].n >= Rounds
    /\ \A c \in Clients : stake[c] = None
Finished == Done /\ UNCHANGED vars

Progress(c) ==
    Contend(c) \/ Grant(c) \/ Pass(c) \/ PassWrite(c) \/ Refuse(c) \/ LetGo(c) \/ Drain(c) \/ Contended(c) \/ Learn(c)

Next ==
    \/ Finished
    \/ \E k \in Callers : Come(k) \/ GiveUp(k) \/ Release(k) \/ TakeWhileWaking(k)
    \/ \E c \in Clients : Progress(c) \/ Lapse(c) \/ Expire(c)

Spec == Init /\ [][Next]_vars

FairSpec ==
    /\ Spec
    /\ \A k \in Callers : WF_vars(Release(k))
    /\ \A c \in Clients : /\ WF_vars(Contend(c) \/ Refuse(c)) /\ WF_vars(Grant(c)) /\ WF_vars(Pass(c) \/ Drain(c))
                          /\ WF_vars(LetGo(c) /\ queue[c] # <<>>) /\ WF_vars(Contended(c))
                          /\ WF_vars(LetGo(c) /\ stake[c].contended)

-----------------------------------------------------------------------------
(* The promises.                                                           *)

StakeOf(k) ==
    IF stake[Home[k]].z = caller[k].z THEN stake[Home[k]]
    ELSE CHOOSE s \in others[Home[k]] : s.z = caller[k].z

(* What isHeld() says.                                                     *)
IsHeld(k) == caller[k].st = "holding" /\ lease[Home[k]] /\ ~StakeOf(k).lost

(* Promises 1 and 2, among the callers of all clients.                     *)
MutualExclusion ==
    \A k, j \in Callers : k # j /\ IsHeld(k) /\ IsHeld(j) => ~Excludes(caller[k].m, caller[j].m)

(* While isHeld() is true the stake's node is in the line.                 *)
HeldIsTrue == \A k \in Callers : IsHeld(k) => InLine(caller[k].z)

(* Promise 3.                                                              *)
TokensInOrder == token.ok

(* Whoever tries once is refused only if somebody else has the key or      *)
(* wants it, or more than one node is there.                               *)
RetainedIsFree == token.fair

(* Promise 5.                                                              *)
NothingLeft == Done => line = <<>>

(* Whoever waits is served, or refused if it tries once, however many      *)
(* others come, here or elsewhere.                                         *)
EventuallyServed == \A k \in Callers : (caller[k].st = "waiting") ~> (caller[k].st # "waiting")

=============================================================================
