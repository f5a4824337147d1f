------------------------------ MODULE ZkPermits -----------------------------
(***************************************************************************)
(* Who holds one of a key's permits, and how those who wait learn of it.   *)
(*                                                                         *)
(* Each contender has a node in the key's line, with the number of holders *)
(* that it allows; 0 if it wants the lock.  The line is kept with all its  *)
(* former states.  What a contender has seen is a point in this history    *)
(* that only moves forward: a slow server, a late answer and a late event  *)
(* are all the same.                                                       *)
(*                                                                         *)
(* A contender looks at the line.  If it does not hold it watches: the     *)
(* first one that waits for a permit all those who hold, any other one the *)
(* node directly before.  A holder marks its node if a contender may wait  *)
(* directly behind it.                                                     *)
(*                                                                         *)
(* Creation, lost answers, leases and sessions are module ZkLock's.  That  *)
(* a waiter also looks by itself now and then, because the process before  *)
(* it may be frozen, is left out: nobody may depend on it here.            *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
    Contenders, \* a set of numbers
    Allows,     \* for each contender how many holders it allows; 0: the lock
    Many,       \* of more holders than that the first waiter watches the line
    GiveUps,    \* how many contenders give up while they wait
    Bug         \* the planted mistake, or "none"

Bugs == {"none", "no mark", "mark unread", "mark unsent", "own number", "any end", "lock passed"}

ASSUME Bug \in Bugs

VARIABLES
    history,    \* the states of the line: each a sequence of [c, marked]
    state,      \* for each contender what it does
    budget      \* how many may still give up

vars == <<history, state, budget>>

Line == history[Len(history)]

(* What a contender keeps of a list: whom it watches, whether it is the first one that waits, how many of   *)
(* those that it watches may be left when it holds, and whether one that wants a permit is directly behind  *)
Nothing == [watched |-> {}, first |-> FALSE, left |-> 0, followed |-> FALSE]
In(st) == [st |-> st, seen |-> 0, kept |-> Nothing]

Range(s) == {s[i] : i \in 1..Len(s)}
Names(l) == {k.c : k \in Range(l)}
PositionIn(l, c) == CHOOSE i \in 1..Len(l) : l[i].c = c
Marked(l, c) == c \in Names(l) /\ l[PositionIn(l, c)].marked

Smallest(S) == CHOOSE n \in S : \A m \in S : n <= m

(* How many may be before one at i, and hold as well *)
Most(l, i) == IF Bug = "own number" THEN Allows[l[i].c]
              ELSE LET all == {Allows[l[j].c] : j \in 1..i}
                   IN Smallest(IF Bug = "lock passed" /\ all # {0} /\ Allows[l[i].c] # 0 THEN all \ {0} ELSE all)

HoldsAt(l, i) == IF Allows[l[i].c] = 0 THEN i = 1 ELSE i - 1 < Most(l, i)

(* The same without a mistake *)
MustHold(l, i) == IF Allows[l[i].c] = 0 THEN i = 1 ELSE i - 1 < Smallest({Allows[l[j].c] : j \in 1..i})

Followed(l, c) == LET i == PositionIn(l, c) IN i < Len(l) /\ Allows[l[i + 1].c] > 0

(* Nobody before it waits, so any of those before it may make room *)
IsFirst(l, c) == LET i == PositionIn(l, c)
                 IN Allows[c] > 0 /\ \A j \in 1..(i - 1) : Allows[l[j].c] > 0 /\ HoldsAt(l, j)

Kept(l, c) == LET i == PositionIn(l, c)
                  first == IsFirst(l, c)
              IN [watched |-> IF first THEN {l[j].c : j \in 1..(i - 1)} ELSE {l[i - 1].c},
                  first |-> first,
                  left |-> IF ~first \/ i - 1 > Many THEN 0
                           ELSE IF Bug = "any end" THEN i - 2 ELSE Most(l, i) - 1,
                  followed |-> Followed(l, c)]

Append1(l) == history' = Append(history, l)

Init == /\ history = << <<>> >>
        /\ state = [c \in Contenders |-> In("out")]
        /\ budget = GiveUps

(* In the order of their numbers: which one comes first makes no other difference *)
Enter(c) == /\ state[c].st = "out" /\ (c - 1 \in Contenders => state[c - 1].st # "out")
            /\ Append1(Append(Line, [c |-> c, marked |-> FALSE]))
            /\ state' = [state EXCEPT ![c] = [In("looks") EXCEPT !.seen = Len(history) + 1]]
            /\ UNCHANGED budget

(* A list: of any state since the last one that it has seen *)
Look(c) == /\ state[c].st = "looks"
           /\ \E p \in state[c].seen..Len(history) :
                LET l == history[p] IN
                state' = [state EXCEPT ![c] =
                    IF HoldsAt(l, PositionIn(l, c))
                    THEN In(IF Allows[c] > 0 /\ Followed(l, c) THEN "marks" ELSE "holds")
                    ELSE [st |-> "watches", seen |-> p, kept |-> Kept(l, c)]]
           /\ UNCHANGED <<history, budget>>

(* The reads that set the watches *)
Watch(c) == /\ state[c].st = "watches"
            /\ \E p \in state[c].seen..Len(history) :
                LET read == ~state[c].kept.first /\ \E w \in state[c].kept.watched : Marked(history[p], w)
                IN state' = [state EXCEPT ![c] =
                        IF read /\ Bug # "mark unread" THEN [In("looks") EXCEPT !.seen = p]
                        ELSE [@ EXCEPT !.st = "waits", !.seen = p]]
            /\ UNCHANGED <<history, budget>>

(* What is watched has changed since it was watched, or had gone by then *)
Gone(c, p) == state[c].kept.watched \ Names(history[p])
Changed(c, p) == \/ Gone(c, p) # {}
                 \/ ~state[c].kept.first /\ \E w \in state[c].kept.watched :
                        Marked(history[p], w) /\ ~Marked(history[state[c].seen], w)
Due(c) == state[c].st = "waits" /\ \E p \in state[c].seen..Len(history) : Changed(c, p)

Woken(c) == /\ Due(c)
            /\ \E p \in state[c].seen..Len(history) :
                /\ Changed(c, p)
                /\ \A q \in state[c].seen..(p - 1) : ~Changed(c, q) \/ Cardinality(Gone(c, q)) < Cardinality(Gone(c, p))
                /\ LET kept == state[c].kept
                       few == kept.first /\ Cardinality(kept.watched) <= Many
                       granted == few /\ Cardinality(kept.watched \ Gone(c, p)) <= kept.left
                   IN state' = [state EXCEPT ![c] =
                          IF granted /\ kept.followed THEN In("marks")
                          ELSE [In(IF granted THEN "asks" ELSE "looks") EXCEPT !.seen = p]]
            /\ UNCHANGED <<history, budget>>

(* It holds by an event: who has come since it looked? *)
Ask(c) == /\ state[c].st = "asks"
          /\ \E p \in state[c].seen..Len(history) :
                state' = [state EXCEPT ![c] =
                    In(IF Followed(history[p], c) /\ Bug # "mark unsent" THEN "marks" ELSE "holds")]
          /\ UNCHANGED <<history, budget>>

Mark(c) == /\ state[c].st = "marks"
           /\ state' = [state EXCEPT ![c] = In("holds")]
           /\ IF Bug = "no mark" THEN UNCHANGED history
              ELSE Append1([i \in 1..Len(Line) |-> IF Line[i].c = c THEN [Line[i] EXCEPT !.marked = TRUE] ELSE Line[i]])
           /\ UNCHANGED budget

Without(l, c) == SelectSeq(l, LAMBDA k : k.c # c)

(* Also a holder that has died, in whatever state *)
Leave(c) == /\ state[c].st \in {"marks", "asks", "holds"}
            /\ Append1(Without(Line, c))
            /\ state' = [state EXCEPT ![c] = In("gone")]
            /\ UNCHANGED budget

GiveUp(c) == /\ budget > 0
             /\ state[c].st \in {"looks", "watches", "waits"}
             /\ Append1(Without(Line, c))
             /\ state' = [state EXCEPT ![c] = In("gone")]
             /\ budget' = budget - 1

Done == (\A c \in Contenders : state[c].st = "gone") /\ UNCHANGED vars

Next == Done \/ \E c \in Contenders : Enter(c) \/ Look(c) \/ Watch(c) \/ Woken(c) \/ Ask(c) \/ Mark(c) \/ Leave(c)
                                      \/ GiveUp(c)

Spec == Init /\ [][Next]_vars

(* For TLC: nobody looks at what was before the oldest state that somebody has seen *)
Looking == {c \in Contenders : state[c].seen > 0}
Oldest == IF Looking = {} THEN Len(history) ELSE Smallest({state[c].seen : c \in Looking})
View == <<SubSeq(history, Oldest, Len(history)),
          [c \in Contenders |-> IF c \in Looking THEN [state[c] EXCEPT !.seen = @ - Oldest + 1] ELSE state[c]],
          budget>>

---------------------------------------------------------------------------

Holders == {c \in Contenders : state[c].st \in {"marks", "asks", "holds"}}

(* Nobody shares with more than it allows, and a lock with nobody *)
NoMoreThanAllowed == \A c \in Holders : Cardinality(Holders) <= IF Allows[c] = 0 THEN 1 ELSE Allows[c]

(* When all that was sent has arrived, whoever may hold does *)
Quiet == \A c \in Contenders : state[c].st \in {"out", "holds", "gone"} \/ (state[c].st = "waits" /\ ~Due(c))
NoneIdle == Quiet => \A i \in 1..Len(Line) : MustHold(Line, i) => state[Line[i].c].st = "holds"

(* First come, first served: who holds has nobody before it that waits *)
InOrder == \A i \in 1..Len(Line) : \A j \in 1..i :
              state[Line[i].c].st \in {"marks", "asks", "holds"} => MustHold(Line, j)

=============================================================================
