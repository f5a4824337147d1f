------------------------------- MODULE ZkSlot -------------------------------
(***************************************************************************)
(* The slot of an idle grant: callers of one client take the grant and     *)
(* give it back by one compare-and-set each, while their cohort looks      *)
(* away; the cohort closes the slot before each of its own steps.          *)
(*                                                                         *)
(* A caller finds a slot, reads its state, and takes it, in three moments; *)
(* whatever others do may come in between.  A slot that was closed is      *)
(* never opened again: what is idle again gets another one.  So a caller   *)
(* that was stalled finds the slot that it knew closed.                    *)
(*                                                                         *)
(* How the grant came, and who else is in the key's line, is ZkCohort's.   *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
    Callers,    \* a set
    Tokens,     \* how many tokens the grant has
    Rounds,     \* how often each caller comes
    Opens,      \* how many slots are opened
    Bug         \* the planted mistake, or "none"

Bugs == {"none", "token apart", "blind close", "blind return", "left first"}

ASSUME Bug \in Bugs /\ Tokens > 0 /\ Opens > 0

VARIABLES
    slots,      \* the states of all slots so far, the newest last
    cohort,     \* where the cohort believes the grant to be
    caller,     \* for each caller what it does
    token       \* the last token, and whether all came in order

vars == <<slots, cohort, caller, token>>

Nobody == 0
State(st, n, by) == [st |-> st, n |-> n, by |-> by]
Out(k) == [st |-> "out", slot |-> 0, seen |-> State("over", 0, Nobody), n |-> caller[k].n + 1]
Newest == Len(slots)

(* "open": in the newest slot; "closing": the cohort has looked at it and  *)
(* is about to close it; "idle": nobody's; "held": by a caller, who comes  *)
(* to the cohort with it; "spoilt": nobody's, and handed to nobody;        *)
(* "gone": its node is deleted.                                            *)
Cohort(st, n, by) == [st |-> st, n |-> n, by |-> by]

Init ==
    /\ slots = <<>>
    /\ cohort = Cohort("idle", 0, Nobody)
    /\ caller = [k \in Callers |-> [st |-> "out", slot |-> 0, seen |-> State("over", 0, Nobody), n |-> 0]]
    /\ token = [last |-> 0, ok |-> TRUE]

Given(n) == token' = [last |-> n, ok |-> token.ok /\ n = token.last + 1 /\ n <= Tokens]

-----------------------------------------------------------------------------
(* The callers: GrantSlots, GrantSlot.offer, take, giveBack, leave.        *)

Find(k) ==
    /\ caller[k].st = "out" /\ caller[k].n < Rounds /\ Newest > 0
    /\ caller' = [caller EXCEPT ![k] = [@ EXCEPT !.st = "found", !.slot = Newest]]
    /\ UNCHANGED <<slots, cohort, token>>

Look(k) ==
    /\ caller[k].st = "found"
    /\ LET now == slots[caller[k].slot]
       IN caller' = [caller EXCEPT ![k] =
            IF now.st = "idle" /\ now.n < Tokens THEN [@ EXCEPT !.st = "offered", !.seen = now] ELSE Out(k)]
    /\ UNCHANGED <<slots, cohort, token>>

(* With a count beside the state, only whether it is idle is compared.     *)
Same(now, seen) == IF Bug = "token apart" THEN now.st = seen.st ELSE now = seen

Take(k) ==
    /\ caller[k].st = "offered"
    /\ LET i == caller[k].slot
           n == caller[k].seen.n + 1
       IN IF Same(slots[i], caller[k].seen)
          THEN /\ slots' = [slots EXCEPT ![i] = State("held", n, k)]
               /\ caller' = [caller EXCEPT ![k].st = "holding"]
               /\ Given(n)
          ELSE /\ caller' = [caller EXCEPT ![k] = Out(k)]
               /\ UNCHANGED <<slots, token>>
    /\ UNCHANGED cohort

Has(k) == caller[k].slot > 0 /\ slots[caller[k].slot].by = k

(* Who has it gives it back, unless it has no token left.                  *)
GiveBack(k) ==
    /\ caller[k].st = "holding" /\ Has(k)
    /\ LET i == caller[k].slot
       IN /\ slots[i].st = "held" \/ (Bug = "blind return" /\ slots[i].st = "revoked")
          /\ slots[i].n < Tokens
          /\ slots' = [slots EXCEPT ![i] = State("idle", @.n, Nobody)]
    /\ caller' = [caller EXCEPT ![k] = Out(k)]
    /\ UNCHANGED <<cohort, token>>

(* Or goes to the cohort with it, always if the slot was closed.           *)
Leave(k) ==
    /\ caller[k].st = "holding"
    /\ IF Has(k)
       THEN /\ Bug = "blind return" => slots[caller[k].slot].n >= Tokens
            /\ slots' = [slots EXCEPT ![caller[k].slot] = State("over", @.n, k)]
       ELSE UNCHANGED slots
    /\ caller' = [caller EXCEPT ![k].st = "leaving"]
    /\ UNCHANGED <<cohort, token>>

(* Its time is over (maxHold), but it may go on working: SlotGrant.forfeit. *)
(* It stays the holder until the cohort knows.  A mistake: it leaves first, *)
(* so a step in between finds an idle grant.                               *)
Forfeit(k) ==
    /\ caller[k].st = "holding" /\ Has(k)
    /\ slots' = [slots EXCEPT ![caller[k].slot] =
            IF Bug = "left first" THEN State("over", @.n, Nobody) ELSE State("forfeited", @.n, k)]
    /\ caller' = [caller EXCEPT ![k].st = "forfeiting"]
    /\ UNCHANGED <<cohort, token>>

-----------------------------------------------------------------------------
(* The cohort.  Every step closes the slot first, in one compare-and-set.  *)

Closed(now) == IF now.st = "held" THEN [now EXCEPT !.st = "revoked"]
               ELSE IF now.st = "idle" THEN [now EXCEPT !.st = "over"] ELSE now

Found(now) == IF now.by = Nobody THEN Cohort("idle", now.n, Nobody) ELSE Cohort("held", now.n, now.by)

Close ==
    /\ cohort.st = "open" /\ Bug # "blind close"
    /\ slots' = [slots EXCEPT ![Newest] = Closed(@)]
    /\ cohort' = Found(slots[Newest])
    /\ UNCHANGED <<caller, token>>

(* A mistake: it looks, and closes what it has seen.                       *)
LookFirst ==
    /\ cohort.st = "open" /\ Bug = "blind close"
    /\ cohort' = [Found(slots[Newest]) EXCEPT !.st = IF @ = "idle" THEN "closing" ELSE @]
    /\ slots' = IF cohort'.st = "closing" THEN slots ELSE [slots EXCEPT ![Newest] = Closed(@)]
    /\ UNCHANGED <<caller, token>>

CloseThen ==
    /\ cohort.st = "closing"
    /\ slots' = [slots EXCEPT ![Newest] = Closed(@)]
    /\ cohort' = [cohort EXCEPT !.st = "idle"]
    /\ UNCHANGED <<caller, token>>

(* A caller comes to the cohort with the grant.                            *)
Back(k) ==
    /\ caller[k].st = "leaving" /\ cohort.st = "held" /\ cohort.by = k
    /\ cohort' = Cohort("idle", cohort.n, Nobody)
    /\ caller' = [caller EXCEPT ![k] = Out(k)]
    /\ UNCHANGED <<slots, token>>

(* The step that a caller brings who has forfeited it: nobody gets it.     *)
Spoil(k) ==
    /\ caller[k].st = "forfeiting" /\ cohort.st \notin {"open", "closing"}
    /\ cohort' = IF cohort.st = "held" /\ cohort.by = k THEN Cohort("spoilt", cohort.n, Nobody) ELSE cohort
    /\ caller' = [caller EXCEPT ![k] = Out(k)]
    /\ UNCHANGED <<slots, token>>

(* One that has queued is handed the grant.                                *)
Hand(k) ==
    /\ cohort.st = "idle" /\ cohort.n < Tokens
    /\ caller[k].st = "out" /\ caller[k].n < Rounds
    /\ cohort' = Cohort("held", cohort.n + 1, k)
    /\ caller' = [caller EXCEPT ![k] = [@ EXCEPT !.st = "holding", !.slot = 0]]
    /\ Given(cohort.n + 1)
    /\ UNCHANGED slots

Open ==
    /\ cohort.st = "idle" /\ cohort.n < Tokens /\ Newest < Opens
    /\ slots' = Append(slots, State("idle", cohort.n, Nobody))
    /\ cohort' = [cohort EXCEPT !.st = "open"]
    /\ UNCHANGED <<caller, token>>

(* Nobody wants it, others do, or it has no token left or was forfeited.   *)
LetGo ==
    /\ cohort.st \in {"idle", "spoilt"}
    /\ cohort' = [cohort EXCEPT !.st = "gone"]
    /\ UNCHANGED <<slots, caller, token>>

-----------------------------------------------------------------------------

Finished ==
    /\ cohort.st = "gone" /\ \A k \in Callers : caller[k].st = "out"
    /\ UNCHANGED vars

Next ==
    \/ \E k \in Callers : Find(k) \/ Look(k) \/ Take(k) \/ GiveBack(k) \/ Leave(k) \/ Forfeit(k)
        \/ Back(k) \/ Spoil(k) \/ Hand(k)
    \/ Close \/ LookFirst \/ CloseThen \/ Open \/ LetGo
    \/ Finished

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* The promises.  Who holds the grant, waits for nobody and is stuck with  *)
(* it, would be a deadlock.                                                *)

Holding == {k \in Callers : caller[k].st \in {"holding", "leaving", "forfeiting"}}

(* Promise 1, among the callers of one client.                             *)
OneHolder == Cardinality(Holding) <= 1

(* Promise 2: while one holds, the node is there.                          *)
HeldIsTrue == Holding # {} => cohort.st # "gone"

(* Promise 3: each token is handed out once, and none beyond the last.     *)
TokensInOrder == token.ok

(* Nobody takes what was closed.                                           *)
ClosedIsClosed == \A i \in 1..Newest : slots[i].st = "idle" => i = Newest /\ cohort.st \in {"open", "closing"}

=============================================================================
