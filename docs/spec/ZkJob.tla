------------------------------- MODULE ZkJob --------------------------------
(***************************************************************************)
(* Which calls of a job are runs of it: no two within W.                   *)
(*                                                                         *)
(* The mark says which run was started last, and when by the clock of the  *)
(* servers' leader.  It is kept with all its former states; what a call    *)
(* has seen is a point in this history that only moves forward.            *)
(*                                                                         *)
(* A call takes the job's lock, reads the mark, writes it as it is, so     *)
(* that it has the leader's time, and writes the new run, if that is due.  *)
(* At the end it writes how the run has ended, and releases the lock.  All *)
(* that is written under the lock checks the lock's node and the version   *)
(* that was read.                                                          *)
(*                                                                         *)
(* The lock itself is module ZkLock's.  Each call is of a client of its    *)
(* own.  What a client knows of a mark by its own clock, if leaders have   *)
(* different ones, is left out: here there is one clock.                   *)
(***************************************************************************)
EXTENDS Naturals, Sequences

CONSTANTS
    Calls,      \* a set of numbers
    W,          \* within which time a job is not started again
    Until,      \* how long time goes on
    Losses,     \* how many answers are lost
    GiveUps,    \* how many calls are given up
    Removals,   \* how many locks an operator removes, each perhaps with the mark
    Ends,       \* how many sessions end
    TakesOver,  \* whether a run that has not ended is taken over, also within W
    Bug         \* the planted mistake, or "none"

Bugs == {"none", "no version", "end unlocked", "given up", "left running", "not awaited"}

ASSUME Bug \in Bugs

VARIABLES
    history,    \* the states of the mark
    lock,       \* whose node is there; 0: nobody's
    now,        \* the leader's clock
    call,       \* for each call what it does
    ran,        \* which were run, and when they were started
    undone,     \* which were taken back
    lost,       \* which have lost their lock
    wrong,      \* whether the end of one run was written in the mark of another
    budget      \* what may still go wrong

vars == <<history, lock, now, call, ran, undone, lost, wrong, budget>>

Mark == history[Len(history)]
Absent == [there |-> FALSE, ver |-> 0, run |-> 0, at |-> 0, over |-> TRUE]
Empty == [Absent EXCEPT !.there = TRUE]
Nothing == [kind |-> "none", ver |-> 0, to |-> Empty, locked |-> FALSE, res |-> "none", pos |-> 0]
Out == [st |-> "out", ends |-> FALSE, looked |-> FALSE, seen |-> 1, before |-> Empty, stamp |-> 0, ver |-> 0, to |-> Empty,
        req |-> Nothing, gave |-> FALSE, knows |-> FALSE, by |-> 0]

Init == /\ history = <<Empty>>
        /\ lock = 0
        /\ now = W
        /\ call = [c \in Calls |-> Out]
        /\ ran = {}
        /\ undone = {}
        /\ lost = {}
        /\ wrong = FALSE
        /\ budget = [losses |-> Losses, gives |-> GiveUps, removals |-> Removals, ends |-> Ends]

Tick == /\ now < W + Until
        /\ now' = now + 1
        /\ UNCHANGED <<history, lock, call, ran, undone, lost, wrong, budget>>

Set(c, to) == call' = [call EXCEPT ![c] = to]

Asks(s, kind, ver, to, locked) ==
    [s EXCEPT !.st = "waits", !.req = [Nothing EXCEPT !.kind = kind, !.ver = ver, !.to = to, !.locked = locked,
                                                     !.res = "open"]]

(* In the order of their numbers: which one comes first makes no other difference *)
Enter(c) == /\ call[c].st = "out" /\ lock = 0 /\ (c - 1 \in Calls => call[c - 1].st # "out")
            /\ lock' = c
            /\ Set(c, [call[c] EXCEPT !.st = "reads"])
            /\ UNCHANGED <<history, now, ran, undone, lost, wrong, budget>>

Over(s) == [s EXCEPT !.st = "over", !.req = Nothing]

(* Writes the end of its run, or what was there before it; without the lock it looks before *)
EndOf(s, c, ver, to) == LET e == [s EXCEPT !.ends = TRUE, !.to = to]
                        IN IF s.knows THEN [e EXCEPT !.st = "reads", !.req = Nothing]
                           ELSE Asks(e, "end", ver, to, Bug # "end unlocked")

(* It was started *)
Begun(s, c, ver) == IF s.gave THEN IF Bug = "left running" THEN Over(s) ELSE EndOf(s, c, ver, s.before)
                    ELSE [s EXCEPT !.st = "runs", !.ver = ver, !.req = Nothing]

Begins(s, c) == IF s.gave THEN UNCHANGED ran ELSE ran' = ran \cup {[c |-> c, at |-> s.stamp]}

(* Of any state since the last one that it has seen *)
Read(c) == /\ call[c].st = "reads"
           /\ \E p \in call[c].seen..Len(history) :
                LET m == history[p]
                    s == [call[c] EXCEPT !.seen = p]
                IN IF s.ends
                   THEN /\ Set(c, IF m.run = c /\ [m EXCEPT !.ver = 0] # [s.to EXCEPT !.ver = 0]
                                  THEN Asks([s EXCEPT !.looked = TRUE], "end", m.ver, s.to, FALSE) ELSE Over(s))
                        /\ UNCHANGED ran
                   ELSE IF m.run = c
                   THEN Set(c, Begun(s, c, m.ver)) /\ Begins(s, c)
                   ELSE /\ Set(c, IF s.gave THEN Over(s)
                                  ELSE IF ~m.there THEN Asks(s, "create", 0, Empty, TRUE)
                                  ELSE Asks([s EXCEPT !.before = m], "stamp", m.ver, m, TRUE))
                        /\ UNCHANGED ran
           /\ UNCHANGED <<history, lock, now, undone, lost, wrong, budget>>

Fits(c) == LET r == call[c].req
           IN IF r.kind = "create" THEN ~Mark.there
              ELSE Mark.there /\ (r.ver = Mark.ver \/ (Bug = "no version" /\ r.kind # "end"))

(* An operator has removed the mark behind the look that showed whose it was.  Nobody can see that, because *)
(* the versions of another mark begin anew *)
RemovedSince(s) == s.looked /\ \E p \in s.seen..Len(history) : ~history[p].there

(* The servers handle its request *)
Handle(c) == LET s == call[c]
                 r == s.req
                 held == ~r.locked \/ lock = c
                 done == held /\ Fits(c)
             IN /\ r.res = "open"
                /\ Set(c, [s EXCEPT !.req.res = IF done THEN "ok" ELSE IF held THEN "bad" ELSE "gone",
                                    !.req.pos = Len(history) + 1,
                                    !.stamp = IF done /\ r.kind = "stamp" THEN now ELSE s.stamp])
                /\ history' = IF done THEN Append(history, [r.to EXCEPT !.there = TRUE,
                                            !.ver = IF r.kind = "create" THEN 0 ELSE Mark.ver + 1]) ELSE history
                /\ wrong' = (wrong \/ (done /\ r.kind = "end" /\ Mark.run # c /\ ~RemovedSince(s)))
                /\ undone' = IF done /\ r.kind = "end" /\ r.to.run # c THEN undone \cup {c} ELSE undone
                /\ UNCHANGED <<lock, now, ran, lost, budget>>

Due(s) == s.before.run = 0 \/ s.stamp - s.before.at >= W \/ (TakesOver /\ ~s.before.over)

Answer(c) ==
    LET r == call[c].req
        s == [call[c] EXCEPT !.seen = IF r.res = "ok" THEN r.pos ELSE @]
        again == [s EXCEPT !.st = "reads", !.req = Nothing]
    IN /\ call[c].st = "waits" /\ r.res \notin {"none", "open"}
       /\ CASE r.kind = "end" -> Set(c, IF r.res = "ok" THEN Over(s) ELSE again) /\ UNCHANGED ran
            [] r.kind # "end" /\ r.res = "gone" -> Set(c, Over(s)) /\ UNCHANGED ran
            [] r.kind # "end" /\ r.res = "bad" -> Set(c, again) /\ UNCHANGED ran
            [] r.kind = "create" /\ r.res = "ok" -> Set(c, again) /\ UNCHANGED ran
            [] r.kind = "stamp" /\ r.res = "ok" ->
                 /\ Set(c, IF s.gave THEN Over(s)
                           ELSE IF ~Due(s) THEN [Over(s) EXCEPT !.by = s.before.run]
                           ELSE Asks(s, "start", history[r.pos].ver,
                                     [Empty EXCEPT !.run = c, !.at = s.stamp, !.over = FALSE], TRUE))
                 /\ UNCHANGED ran
            [] r.kind = "start" /\ r.res = "ok" -> Set(c, Begun(s, c, history[r.pos].ver)) /\ Begins(s, c)
       /\ UNCHANGED <<history, lock, now, undone, lost, wrong, budget>>

(* The connection is lost.  What is under way is handled, or never *)
Lose(c) == /\ budget.losses > 0 /\ call[c].st = "waits"
           /\ Set(c, [call[c] EXCEPT !.st = "cut"])
           /\ budget' = [budget EXCEPT !.losses = @ - 1]
           /\ UNCHANGED <<history, lock, now, ran, undone, lost, wrong>>
Drop(c) == /\ call[c].st = "cut" /\ call[c].req.res = "open"
           /\ Set(c, [call[c] EXCEPT !.req.res = "bad"])
           /\ UNCHANGED <<history, lock, now, ran, undone, lost, wrong, budget>>
Barrier(c) == /\ call[c].st = "cut" /\ call[c].req.res # "open"
              /\ Set(c, [call[c] EXCEPT !.st = "reads", !.req = Nothing, !.seen = Len(history)])
              /\ UNCHANGED <<history, lock, now, ran, undone, lost, wrong, budget>>

Finish(c) == /\ call[c].st = "runs"
             /\ Set(c, EndOf(call[c], c, call[c].ver, [Empty EXCEPT !.run = c, !.at = call[c].stamp]))
             /\ UNCHANGED <<history, lock, now, ran, undone, lost, wrong, budget>>

Starting(c) == call[c].st \in {"reads", "waits", "cut"} /\ ~call[c].ends /\ ~call[c].gave

(* Nobody waits for it any more *)
GiveUp(c) == /\ budget.gives > 0 /\ Starting(c)
             /\ Set(c, IF Bug = "given up" THEN [Over(call[c]) EXCEPT !.gave = TRUE, !.req = call[c].req]
                       ELSE [call[c] EXCEPT !.gave = TRUE])
             /\ budget' = [budget EXCEPT !.gives = @ - 1]
             /\ UNCHANGED <<history, lock, now, ran, undone, lost, wrong>>

Release(c) == /\ \/ call[c].st = "over" /\ Set(c, [call[c] EXCEPT !.st = "gone"])
                 \/ Bug = "not awaited" /\ call[c].ends /\ lock = c /\ UNCHANGED call
              /\ lock' = IF lock = c THEN 0 ELSE lock
              /\ UNCHANGED <<history, now, ran, undone, lost, wrong, budget>>

(* An operator removes its node, and perhaps the mark *)
Remove(c) == /\ budget.removals > 0 /\ lock = c
             /\ lock' = 0
             /\ lost' = lost \cup {c}
             /\ \/ UNCHANGED history
                \/ Mark.there /\ history' = Append(history, Absent)
             /\ budget' = [budget EXCEPT !.removals = @ - 1]
             /\ UNCHANGED <<now, call, ran, undone, wrong>>
(* It learns of that at any time later *)
Learn(c) == /\ c \in lost /\ ~call[c].knows /\ call[c].st \notin {"over", "gone"}
            /\ Set(c, [call[c] EXCEPT !.knows = TRUE, !.gave = @ \/ Starting(c)])
            /\ UNCHANGED <<history, lock, now, ran, undone, lost, wrong, budget>>

(* Its session ends, and with it all that it has sent *)
End(c) == /\ budget.ends > 0 /\ call[c].st \notin {"out", "over", "gone"}
          /\ lock' = IF lock = c THEN 0 ELSE lock
          /\ lost' = lost \cup {c}
          /\ Set(c, Over(call[c]))
          /\ budget' = [budget EXCEPT !.ends = @ - 1]
          /\ UNCHANGED <<history, now, ran, undone, wrong>>

Done == (\A c \in Calls : call[c].st = "gone") /\ UNCHANGED vars

Next == Done \/ Tick \/ \E c \in Calls : Enter(c) \/ Read(c) \/ Handle(c) \/ Answer(c) \/ Lose(c) \/ Drop(c)
                            \/ Barrier(c) \/ Finish(c) \/ GiveUp(c) \/ Release(c) \/ Remove(c) \/ Learn(c) \/ End(c)

Spec == Init /\ [][Next]_vars

---------------------------------------------------------------------------

(* As long as nobody removes the mark; where runs are taken over, only one that has lost its lock is. *)
(* They were started in the order of their numbers *)
NoTwoWithin == (\A p \in 1..Len(history) : history[p].there) =>
    \A r, s \in ran : r.c < s.c => s.at >= r.at + W \/ (TakesOver /\ r.c \in lost)

(* What is written at the end of a run is written in its own mark *)
EndsOwn == ~wrong

(* Nobody leaves the work to a run that was taken back, unless its lock was lost *)
NobodySkips == \A c \in Calls : call[c].by \notin undone \ lost

(* A call that was not run has left no run, unless its lock was lost *)
NothingLeft == \A c \in Calls \ lost : call[c].st = "gone" /\ (\A r \in ran : r.c # c) => Mark.run # c

=============================================================================
