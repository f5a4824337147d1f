------------------------------- MODULE ZkLock -------------------------------
(***************************************************************************)
(* The contest for one key, as zk-lock's engine runs it on ZooKeeper.      *)
(*                                                                         *)
(* A client is one session after another, with at most one contender in    *)
(* the contest and any number of its former nodes being removed.  A        *)
(* contender enters by one of three ways:                                  *)
(*   "plain"  naive, EXCLUSIVE: the ephemeral node at the key's place      *)
(*   "line"   sequential: a node in the line, watching who is in the way   *)
(*   "herd"   naive, READ or WRITE: a node in the line, watching all of it *)
(* and in one of three modes: "X" (EXCLUSIVE), "W" (WRITE), "R" (READ); or *)
(* as "D": a WRITE that may go on as a READ.                               *)
(* A client that has several ways takes one anew at each entry, as in a    *)
(* rolling change of strategy.                                             *)
(*                                                                         *)
(* The servers are a history of trees.  The leader writes at its end; what *)
(* a client has been told of is a point in it that only moves forward (a   *)
(* client never goes back to a server that is behind what it has seen).    *)
(* So a lagging follower, a slow network and a busy event thread are one   *)
(* and the same: the client's point is behind the end.  An answer to a     *)
(* write moves it to where the write was handled, a sync moves it to the   *)
(* end, an event of a watch moves it to what set it off.                   *)
(*                                                                         *)
(* `lease` is TRUE only while the leader cannot have expired the session:  *)
(* that is module ZkLease's result, and the guard of Expire here.          *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
    Clients,    \* a set 1..n
    Ways,       \* for each client the ways it may enter, pairs <<way, mode>>
    Rounds,     \* how often each client enters
    Losses,     \* how many connections are lost with requests under way
    Lapses,     \* how often a lease ends
    Expiries,   \* how many sessions expire
    GiveUps,    \* how many contenders give up
    Operators,  \* how many nodes are deleted by somebody who should not
    Apart,      \* whether a place may be made by a request of its own, as for several keys
    Notes,      \* whether who leaves a line as the first notes that in the place, as in a long one
    Bug         \* the planted mistake, or "none"

Bugs == {"none", "blind delete", "no sync", "no lease", "sequence token", "any event",
         "vanished delete", "unmade place", "place apart", "forgotten",
         "new number", "stale name", "write watched", "any note", "read note"}

ASSUME /\ Bug \in Bugs
       /\ \A c \in Clients : Ways[c] \subseteq {"plain", "line", "herd"} \X {"X", "W", "R", "D"}

VARIABLES
    zk,         \* the servers: zxid, and the trees from the oldest one still visible
    cl,         \* the clients
    budget,     \* how many faults may still happen
    token       \* largest tokens granted so far, and whether all came in order

vars == <<zk, cl, budget, token>>

-----------------------------------------------------------------------------
(* The tree.  `top` is what stands at the key's place: nothing, a plain    *)
(* node, or a place with a line.  A node is a record; its `n` stands for   *)
(* the contender's unique id, which is in its name or its data.  Of a      *)
(* plain node whose creation was answered the czxid says the same.         *)

NoNode == [c |-> 0, n |-> 0, m |-> "", q |-> 0, z |-> 0]
NoTree == [top |-> "none", at |-> NoNode, kids |-> {}, seq |-> 0, note |-> NoNode]

Now == zk.hist[zk.zxid]

IsOf(node, c, n) == node.c = c /\ node.n = n
NodesIn(tree) == tree.kids \cup (IF tree.top = "plain" THEN {tree.at} ELSE {})
NodesOf(tree, c, n) == {k \in NodesIn(tree) : IsOf(k, c, n)}

Without(tree, nodes) ==
    [tree EXCEPT !.kids = @ \ nodes,
                 !.top = IF tree.top = "plain" /\ tree.at \in nodes THEN "none" ELSE @,
                 !.at = IF tree.at \in nodes THEN NoNode ELSE @]

Min(S) == CHOOSE x \in S : \A y \in S : x <= y
Max(S) == CHOOSE x \in S : \A y \in S : x >= y
Least(a, b) == IF a < b THEN a ELSE b

(* What a request does at the leader: the answer's code, the tree after    *)
(* it, and the created node.                                               *)
Apply(tree, c, r, z) ==
    LET is(code) == [code |-> code, tree |-> tree, node |-> NoNode]
        new == [c |-> c, n |-> r.n, m |-> r.mode, q |-> tree.seq + 1, z |-> z]
        doomed == {k \in tree.kids : IsOf(k, c, r.n) /\ k.q = r.q /\ k.m = r.mode}
        asRead == {[k EXCEPT !.m = "R", !.q = IF Bug = "new number" THEN tree.seq + 1 ELSE @] : k \in doomed}
    IN CASE r.op = "create" /\ r.way = "plain" ->
              IF tree.top # "none" THEN is("EXISTS")
              ELSE LET node == [new EXCEPT !.q = 0]
                   IN [code |-> "OK", node |-> node,
                       tree |-> [NoTree EXCEPT !.top = "plain", !.at = node]]
         [] r.op = "create" /\ r.way # "plain" ->
              CASE tree.top = "none" -> is("NONODE")
                [] tree.top = "plain" -> is("NOCHILDREN")
                [] OTHER -> [code |-> "OK", node |-> new,
                             tree |-> [tree EXCEPT !.seq = @ + 1, !.kids = @ \cup {new}]]
         [] r.op = "both" ->                        \* the place and the node in it
              IF tree.top # "none" THEN is("EXISTS")
              ELSE [code |-> "OK", node |-> new,
                    tree |-> [NoTree EXCEPT !.top = "place", !.seq = 1, !.kids = {new}]]
         [] r.op = "instead" ->                     \* the node, and the former one's end
              CASE tree.top = "none" -> is("NONODE")
                [] tree.top = "plain" -> is("NOCHILDREN")
                [] tree.top = "place" /\ r.former \notin tree.kids -> is("NONODE")
                [] OTHER -> [code |-> "OK", node |-> new,
                             tree |-> [tree EXCEPT !.seq = @ + 1, !.kids = (@ \ {r.former}) \cup {new}]]
         [] r.op = "turn" ->                        \* the WRITE's name becomes a READ's
              CASE \E k \in tree.kids : IsOf(k, c, r.n) /\ k.m = "R" -> is("EXISTS")
                [] doomed = {} -> is("NONODE")
                [] OTHER -> [code |-> "OK", node |-> CHOOSE k \in asRead : TRUE,
                             tree |-> [tree EXCEPT !.seq = IF Bug = "new number" THEN @ + 1 ELSE @,
                                                   !.kids = (@ \ doomed) \cup asRead]]
         [] r.op = "remove" ->                      \* the node and the place around it
              CASE doomed = {} -> is("NONODE")
                [] tree.kids # doomed -> is("NOTEMPTY")
                [] OTHER -> [code |-> "OK", node |-> NoNode, tree |-> NoTree]
         [] r.op = "place" ->
              IF tree.top # "none" THEN is("EXISTS")
              ELSE [code |-> "OK", node |-> NoNode, tree |-> [NoTree EXCEPT !.top = "place"]]
         [] r.op = "delete" /\ r.way = "plain" ->   \* by the path: whoever's node it is
              CASE tree.top = "none" -> is("NONODE")
                [] tree.kids # {} -> is("NOTEMPTY")
                [] OTHER -> [code |-> "OK", node |-> NoNode, tree |-> NoTree]
         [] r.op = "delete" /\ r.way # "plain" ->   \* by the name, which is unique
              IF doomed = {} THEN is("NONODE")
              ELSE [code |-> "OK", node |-> NoNode,
                    tree |-> [Without(tree, doomed) EXCEPT !.note = IF r.first THEN CHOOSE k \in doomed : TRUE ELSE @]]

-----------------------------------------------------------------------------
(* A client.                                                               *)
(*                                                                         *)
(*  phase    idle      no contender                                        *)
(*           enter     create under way                                    *)
(*           places    create of the place under way                       *)
(*           find      answer to the create lost: look for the node        *)
(*           replace   answer to the create of the place lost              *)
(*           obstr     the place's own name is in the way: look at it      *)
(*           watch     a plain node is in the way: wait for its end        *)
(*           look      the node stands: look at the line                   *)
(*           wait      somebody is before us: wait for the end of it       *)
(*           confirm   the way was clear, but the lease was over           *)
(*           granted   the grant is held; isHeld() also asks the lease     *)
(*           lapsed    told that it is lost, the session still alive       *)
(*  n        the contender's unique id, among its client's                 *)
(*  left     gave up while a create was under way                          *)
(*  made     made the place                                                *)
(*  there    believes that the place is there, rightly or not              *)
(*  own      its node was made together with the place                     *)
(*  former   the node that is deleted by the transaction that makes ours   *)
(*  may      holds a WRITE that may go on as a READ                        *)
(*  turning  "asked": it goes on as a READ, and under which name the node  *)
(*           is nobody knows; "again": the answer was lost; or "no"        *)
(*  view     up to which zxid the client has seen; 0 where it has no use   *)
(*  net      requests sent, in order: "sent", or "done" with the answer    *)
(*           under way; `stale` after the connection was lost              *)
(*  jobs     nodes to be removed: "sent", or "check" after a lost answer,  *)
(*           or `turned`, because its name is not known                    *)
(*  ends     the zxid of the session's expiry, unknown to the client; or 0 *)

Fresh == [phase |-> "idle", n |-> 0, way |-> "line", mode |-> "X", node |-> NoNode,
          may |-> FALSE, turning |-> "no",
          left |-> FALSE, made |-> FALSE, there |-> TRUE, own |-> FALSE, former |-> NoNode, view |-> 0, wait |-> NoNode, all |-> FALSE, net |-> <<>>,
          jobs |-> {}, lease |-> FALSE, ends |-> 0, rounds |-> Rounds]

Init ==
    /\ zk = [zxid |-> 0, hist |-> [z \in 0..0 |-> NoTree]]
    /\ cl = [c \in Clients |-> Fresh]
    /\ budget = [losses |-> Losses, lapses |-> Lapses, expiries |-> Expiries,
                 giveUps |-> GiveUps, operators |-> Operators]
    /\ token = [write |-> 0, read |-> 0, ok |-> TRUE]

Idle(me) == me.phase = "idle" /\ me.jobs = {}

(* What the state keeps only where it matters.                             *)
Tidy(me) ==
    LET seen == IF Bug = "no sync" THEN ~Idle(me)
                ELSE me.phase \in {"obstr", "watch", "look", "wait"}
    IN [me EXCEPT !.view = IF seen THEN @ ELSE 0,
                  !.wait = IF me.phase \in {"watch", "wait"} THEN @ ELSE NoNode,
                  !.all = me.phase = "wait" /\ @,
                  !.made = Bug = "unmade place" /\ @,
                  !.lease = me.phase \in {"look", "wait", "confirm", "granted"} /\ @]

(* The trees that the clients may still see; what was told is in the view, *)
(* what is under way says where it was answered.                           *)
Oldest(clients, zxid) ==
    LET told == UNION {{clients[c].view} \cup {clients[c].net[i].at : i \in DOMAIN clients[c].net} :
                         c \in Clients}
    IN Min({zxid} \cup (told \ {0}))

After(tree, zxid, clients) ==
    [zxid |-> zxid,
     hist |-> [z \in Oldest(clients, zxid)..zxid |-> IF z \in DOMAIN zk.hist THEN zk.hist[z] ELSE tree]]

TokenOf(node) == IF Bug = "sequence token" THEN node.q ELSE node.z

Noted(me) ==
    LET t == TokenOf(me.node)
    IN IF me.mode = "R"
       THEN [token EXCEPT !.read = Max({@, t}), !.ok = @ /\ t > token.write]
       ELSE [token EXCEPT !.write = Max({@, t}), !.ok = @ /\ t > token.write /\ t > token.read]

(* Client c becomes `me`, the tree becomes `tree`.  (The quantifiers make  *)
(* TLC evaluate what they bind once.)                                      *)
StepTo(c, me, tree) ==
    \E then \in {Tidy(me)}, t \in {tree} :
        /\ cl' = [cl EXCEPT ![c] = then]
        /\ zk' = IF t = Now THEN After(t, zk.zxid, cl') ELSE After(t, zk.zxid + 1, cl')
        /\ token' = IF then.phase = "granted" /\ cl[c].phase # "granted" THEN Noted(then) ELSE token

Step(c, me) == StepTo(c, me, Now)

Request(op, me) ==
    [op |-> op, n |-> me.n, way |-> me.way, mode |-> me.mode, q |-> me.node.q, former |-> me.former, first |-> FALSE,
     st |-> "sent", code |-> "", at |-> 0, node |-> NoNode, stale |-> FALSE]

Sent(me, r) == [me EXCEPT !.net = Append(@, r)]

(* TransactionChoice.next: alone, or together with the place.              *)
WithPlace(me) == me.way # "plain" /\ ~me.there
Enter(me) ==
    Sent([me EXCEPT !.phase = "enter"],
         Request(CASE me.former # NoNode -> "instead" [] WithPlace(me) -> "both" [] OTHER -> "create", me))
MakePlace(me) == Sent([me EXCEPT !.phase = "places", !.made = TRUE], Request("place", me))

(* ReleaseNotes.isLeft.                                                    *)
LeavesNote(me) ==
    Notes /\ me.way = "line" /\ (me.node.m # "R" \/ Bug = "read note") /\ (me.phase \in {"granted", "lapsed"} \/ Bug = "any note")

Job(me, st) ==
    [n |-> me.n, way |-> me.way, q |-> me.node.q, m |-> me.node.m, turned |-> FALSE, st |-> st, first |-> LeavesNote(me),
     own |-> me.own /\ Bug # "place apart"]
Delete(job) ==
    [op |-> IF job.own THEN "remove" ELSE "delete", n |-> job.n, way |-> job.way, mode |-> job.m, q |-> job.q, former |-> NoNode, first |-> job.first,
     st |-> "sent", code |-> "", at |-> 0, node |-> NoNode, stale |-> FALSE]

(* The contender is over; what follows for its client.  A place that it    *)
(* made in vain is left to the servers: by its path it would also delete   *)
(* the plain node of who came meanwhile.  A former node that was not       *)
(* deleted yet is deleted now.                                             *)
Over(me) ==
    LET over == [me EXCEPT !.phase = "idle", !.former = NoNode, !.left = FALSE, !.made = FALSE, !.node = NoNode,
                           !.there = TRUE, !.own = FALSE, !.may = FALSE, !.turning = "no", !.rounds = @ - 1]
        last == [n |-> me.former.n, way |-> me.way, q |-> me.former.q, m |-> me.former.m, turned |-> FALSE,
                 st |-> "sent", first |-> FALSE, own |-> FALSE]
    IN IF me.former # NoNode /\ Bug # "forgotten"
       THEN Sent([over EXCEPT !.jobs = @ \cup {last}], Delete(last))
       ELSE IF me.made /\ Bug = "unmade place"
       THEN Sent(over, [Request("delete", me) EXCEPT !.n = 0, !.way = "plain"])
       ELSE over

(* NodeRemoval.begin: the first delete is sent at once, without a look, and *)
(* with the place if that was made together with the node.  A node whose   *)
(* name is not known is looked for first.  The engine also looks for a     *)
(* plain node first that is not quite new, is doubted or is known to be    *)
(* deleted: here that is left out.                                         *)
Remove(c, me) ==
    LET gone == Sent([me EXCEPT !.jobs = @ \cup {Job(me, "sent")}], Delete(Job(me, "sent")))
    IN Over(CASE me.turning # "no" /\ Bug # "stale name" ->
                   [me EXCEPT !.jobs = @ \cup {[Job(me, "check") EXCEPT !.turned = TRUE, !.own = FALSE]}]
              [] me.own /\ Bug = "place apart" ->
                   Sent(gone, [Request("delete", me) EXCEPT !.n = 0, !.way = "plain"])
              [] OTHER -> gone)

(* ZooKeeperContender.nodeClear: a grant counts only while the lease is valid.*)
Clear(me) == [me EXCEPT !.phase = IF me.lease \/ Bug = "no lease" THEN "granted" ELSE "confirm"]

(* The node is there, as the answer or the look says.                      *)
Present(c, me, node) ==
    LET there == [me EXCEPT !.node = node, !.made = FALSE, !.there = TRUE, !.former = NoNode,
                            !.own = WithPlace(me) /\ me.former = NoNode]
    IN IF me.left THEN Remove(c, there)
       ELSE IF me.way = "plain" THEN Clear(there)
       ELSE [there EXCEPT !.phase = "look"]

(* The answer says that the node was made with its place: nobody can be    *)
(* before it.                                                              *)
First(c, me, node) ==
    LET there == Present(c, me, node)
    IN IF me.left THEN there ELSE Clear(there)

(* ZooKeeperContender.vanished: somebody else deleted our node; enters anew.  What is*)
(* at a plain node's path now is another's.                                *)
Vanished(c, me) ==
    LET st == IF me.way = "plain" /\ Bug # "vanished delete" THEN "check" ELSE "sent"
        former == [me EXCEPT !.jobs = @ \cup {Job(me, st)}]
        anew == [(IF st = "sent" THEN Sent(former, Delete(Job(me, st))) ELSE former)
                 EXCEPT !.n = @ + 1, !.node = NoNode, !.own = FALSE]
    IN Enter(anew)

(* How far the client's reads can see: not past the end of its session, and *)
(* not past an answer that comes before them.                              *)
Limit(c) ==
    LET me == cl[c]
        end == IF me.ends # 0 THEN me.ends - 1 ELSE zk.zxid
        done == {me.net[i].at : i \in {j \in DOMAIN me.net : me.net[j].st = "done"}}
    IN IF done = {} THEN end ELSE Least(end, Min(done))

Visible(c) == {v \in DOMAIN zk.hist : v >= cl[c].view /\ v <= Limit(c)}

(* CommitBarrier: a transaction that changes nothing ("sync" for short) is *)
(* answered on a connection made after the loss.                           *)
(* What the lost connection left behind has been handled or never will be. *)
CanSync(c) == cl[c].ends = 0 /\ \A i \in DOMAIN cl[c].net : ~cl[c].net[i].stale

(* Where the look after a lost answer reads.                               *)
LookUps(c) ==
    IF Bug = "no sync" THEN IF cl[c].ends = 0 THEN Visible(c) ELSE {}
    ELSE IF CanSync(c) THEN {zk.zxid} ELSE {}

-----------------------------------------------------------------------------
(* The client's steps.                                                     *)

ModeOf(w) == IF w[2] = "D" THEN "W" ELSE w[2]

(* Clients that may do the same are numbered in the order of their first   *)
(* entry, which spares the model their permutations.                       *)
Begin(c) ==
    LET me == cl[c] IN
    /\ me.phase = "idle" /\ me.rounds > 0 /\ Cardinality(me.jobs) <= 1
    /\ \A d \in Clients : d < c /\ Ways[d] = Ways[c] => cl[d].n > 0
    /\ \E w \in Ways[c] : \E there \in IF w[1] = "plain" THEN {TRUE} ELSE BOOLEAN :
         Step(c, Enter([me EXCEPT !.n = @ + 1, !.way = w[1], !.mode = ModeOf(w), !.may = w[2] = "D", !.there = there,
                                  !.view = IF @ = 0 THEN zk.zxid ELSE @]))
    /\ UNCHANGED budget

(* The first answer arrives.  It renews the lease unless it comes too late. *)
Deliver(c) ==
    LET me == cl[c] IN
    /\ me.net # <<>> /\ Head(me.net).st = "done"
    /\ \E lease \in {me.lease \/ me.ends = 0} \cup (IF budget.lapses > 0 THEN {me.lease} ELSE {}) :
       \E apart \in {FALSE} \cup (IF Apart THEN {Head(me.net).op = "create"} ELSE {}) :
         LET r == Head(me.net)
             removal == r.op \in {"delete", "remove"}
             told == [me EXCEPT !.net = Tail(@), !.lease = lease, !.view = IF removal THEN @ ELSE r.at]
             others == {j \in me.jobs : j.n # r.n}
             alone == {[j EXCEPT !.own = FALSE] : j \in me.jobs \ others}
         IN Step(c, CASE r.op = "remove" /\ r.code = "NOTEMPTY" ->
                           Sent([told EXCEPT !.jobs = others \cup alone], Delete(CHOOSE j \in alone : TRUE))
                      [] removal /\ ~(r.op = "remove" /\ r.code = "NOTEMPTY") -> [told EXCEPT !.jobs = others]
                      [] r.op = "create" /\ r.code = "OK" -> Present(c, told, r.node)
                      [] r.op = "instead" /\ r.code = "OK" -> Present(c, told, r.node)
                      [] r.op = "instead" /\ r.code # "OK" ->
                           LET gone == [told EXCEPT !.former = NoNode]
                           IN IF me.left THEN Over(gone) ELSE Enter(gone)
                      [] r.op = "both" /\ r.code = "OK" -> First(c, told, r.node)
                      [] r.op = "turn" ->
                           IF me.phase \in {"granted", "lapsed"} /\ me.n = r.n
                           THEN [told EXCEPT !.turning = "no",
                                             !.node = CASE r.code = "OK" -> r.node
                                                        [] r.code = "EXISTS" -> [@ EXCEPT !.m = "R"]
                                                        [] OTHER -> @]
                           ELSE told
                      [] ~removal /\ r.op \notin {"instead", "turn"} /\ r.code # "OK" /\ me.left -> Over(told)
                      [] r.op = "create" /\ r.code = "NONODE" /\ ~me.left ->
                           IF apart THEN MakePlace(told) ELSE Enter([told EXCEPT !.there = FALSE])
                      [] r.op = "both" /\ r.code = "EXISTS" /\ ~me.left -> Enter([told EXCEPT !.there = TRUE])
                      [] r.op = "create" /\ r.code \in {"EXISTS", "NOCHILDREN"} /\ ~me.left ->
                           [told EXCEPT !.phase = "obstr"]
                      [] r.op = "place" /\ r.code = "OK" /\ me.left -> Over(told)
                      [] r.op = "place" /\ ~me.left -> Enter(told))
            /\ budget' = [budget EXCEPT !.lapses = IF lease \/ me.ends # 0 THEN @ ELSE @ - 1]

(* NodeCreation.findAfterCommit and LockNodes.find.                        *)
Find(c) ==
    LET me == cl[c] IN
    /\ me.phase = "find"
    /\ \E v \in LookUps(c) :
         LET mine == NodesOf(zk.hist[v], c, me.n)
             seen == [me EXCEPT !.view = v, !.lease = Bug # "no sync" \/ @]
         IN \/ \E node \in mine : Step(c, Present(c, seen, node))
            \/ mine = {} /\ Step(c, IF me.left THEN Over(seen) ELSE Enter(seen))
    /\ UNCHANGED budget

MakePlaceAgain(c) ==
    LET me == cl[c] IN
    /\ me.phase = "replace" /\ CanSync(c)
    /\ Step(c, IF me.left THEN Over(me) ELSE MakePlace(me))
    /\ UNCHANGED budget

(* Obstruction: looks at the node at the place's own name.                 *)
Inspect(c) ==
    LET me == cl[c] IN
    /\ me.phase = "obstr"
    /\ \E v \in Visible(c) :
         LET tree == zk.hist[v]
             seen == [me EXCEPT !.view = v]
         IN Step(c, CASE tree.top = "none" -> Enter([seen EXCEPT !.there = (me.way = "plain")])
                      [] tree.top = "place" ->
                           Enter([seen EXCEPT !.way = IF @ = "plain" THEN "line" ELSE @, !.there = TRUE])
                      [] tree.top = "plain" /\ me.way = "plain" /\ IsOf(tree.at, c, me.n) ->
                           [seen EXCEPT !.phase = "find"]
                      [] OTHER -> [seen EXCEPT !.phase = "watch", !.wait = tree.at])
    /\ UNCHANGED budget

Unobstructed(c) ==
    LET me == cl[c]
        gone == {v \in Visible(c) : v > me.view /\ zk.hist[v].at # me.wait}
    IN /\ me.phase = "watch" /\ gone # {}
       /\ Step(c, Enter([me EXCEPT !.view = Min(gone), !.there = (me.way = "plain")]))
       /\ UNCHANGED budget

(* NodeQueue.positionOf and QueueWait.positioned.                          *)
Before(tree, node) ==
    {k \in tree.kids : k.q < node.q /\ (node.m = "R" => k.m # "R")}

Look(c) ==
    LET me == cl[c] IN
    /\ me.phase = "look"
    /\ \E v \in Visible(c) :
         LET tree == zk.hist[v]
             seen == [me EXCEPT !.view = v]
             before == Before(tree, me.node)
             obstacle == CHOOSE k \in before : \A o \in before : o.q <= k.q
         IN \/ Step(c, CASE me.node \notin tree.kids -> [seen EXCEPT !.phase = "confirm"]
                         [] me.node \in tree.kids /\ before = {} -> Clear(seen)
                         [] OTHER -> [seen EXCEPT !.phase = "wait", !.wait = {obstacle}])
            \/ /\ me.way = "line" /\ me.node \in tree.kids /\ before # {}
               /\ \A k \in before : k.m # "W" \/ Bug = "write watched"
               /\ Step(c, [seen EXCEPT !.phase = "wait", !.wait = before, !.all = TRUE])
    /\ UNCHANGED budget

(* QueueWatch's listeners. Few obstacles are watched all: who has gone is  *)
(* waited for no more, and the end of the last one grants without a look.  *)
(* How many are few is left open. Of many the last one is watched, and its *)
(* end leads to another look, unless a note says that it was the first; so *)
(* may any other event.                                                    *)
Woken(c) ==
    LET me == cl[c]
        news == {v \in Visible(c) : v > me.view /\
                   IF me.way = "herd" THEN zk.hist[v].kids # zk.hist[me.view].kids
                   ELSE me.wait \ zk.hist[v].kids # {}}
    IN /\ me.phase = "wait" /\ news # {}
       /\ LET seen == [me EXCEPT !.view = Min(news)]
              rest == me.wait \cap zk.hist[seen.view].kids
          IN \/ Step(c, [seen EXCEPT !.phase = "look"])
             \/ /\ me.way = "line" /\ (me.all \/ Bug = "any event")
                /\ Step(c, IF rest = {} \/ Bug = "any event" THEN Clear(seen) ELSE [seen EXCEPT !.wait = rest])
             \/ /\ Notes /\ me.way = "line" /\ ~me.all
                /\ \E v \in {u \in Visible(c) : u >= seen.view} :
                     /\ zk.hist[v].note \in me.wait
                     /\ Step(c, Clear([me EXCEPT !.view = v]))
       /\ UNCHANGED budget

(* QueueWait.confirm: a sync, then a look.                                 *)
Confirm(c) ==
    LET me == cl[c] IN
    /\ me.phase = "confirm" /\ CanSync(c)
    /\ LET seen == [me EXCEPT !.view = zk.zxid, !.lease = TRUE]
       IN Step(c, CASE me.node \notin NodesIn(Now) -> Vanished(c, seen)
                    [] me.node \in NodesIn(Now) /\ me.way = "plain" -> Clear(seen)
                    [] OTHER -> [seen EXCEPT !.phase = "look"])
    /\ UNCHANGED budget

Release(c) ==
    /\ cl[c].phase \in {"granted", "lapsed"}
    /\ Step(c, Remove(c, cl[c]))
    /\ UNCHANGED budget

(* NodeDowngrade: the holder is a reader from now on, and others when the  *)
(* request is handled.                                                     *)
Turn(c) ==
    LET me == cl[c] IN
    /\ me.phase = "granted" /\ me.may
    /\ Step(c, [Sent([me EXCEPT !.turning = "asked", !.may = FALSE], Request("turn", me)) EXCEPT !.mode = "R"])
    /\ UNCHANGED budget

TurnAgain(c) ==
    LET me == cl[c] IN
    /\ me.phase \in {"granted", "lapsed"} /\ me.turning = "again" /\ CanSync(c)
    /\ Step(c, Sent([me EXCEPT !.turning = "asked"], [Request("turn", me) EXCEPT !.mode = "W"]))
    /\ UNCHANGED budget

(* ZooKeeperContender.startInsteadOf: a holder's client queues again, with a new*)
(* contender.                                                              *)
Again(c) ==
    LET me == cl[c] IN
    /\ me.phase = "granted" /\ me.way = "line" /\ me.rounds > 1 /\ me.turning = "no" /\ Cardinality(me.jobs) <= 1
    /\ \E w \in Ways[c] :
         /\ w[1] = "line"
         /\ Step(c, Enter([me EXCEPT !.n = @ + 1, !.mode = ModeOf(w), !.may = w[2] = "D", !.former = me.node, !.node = NoNode,
                                     !.own = FALSE, !.rounds = @ - 1, !.view = IF @ = 0 THEN zk.zxid ELSE @]))
    /\ UNCHANGED budget

(* NodeRemoval.begin of a node whose name is not known: it is looked for   *)
(* behind the barrier, and so behind the request that changes the name.    *)
Seek(c) ==
    \E j \in {i \in cl[c].jobs : i.turned} :
        LET me == cl[c]
            others == me.jobs \ {j}
            mine == NodesOf(Now, c, j.n)
        IN /\ CanSync(c)
           /\ \A i \in DOMAIN me.net : me.net[i].op = "turn" => me.net[i].st = "done"
           /\ Step(c, IF mine = {} THEN [me EXCEPT !.jobs = others]
                      ELSE LET found == CHOOSE k \in mine : TRUE
                               known == [j EXCEPT !.turned = FALSE, !.st = "sent", !.m = found.m]
                           IN Sent([me EXCEPT !.jobs = others \cup {known}], Delete(known)))
           /\ UNCHANGED budget

(* NodeRemoval.deleted and verifyThenDelete.                               *)
Repeat(c) ==
    \E j \in {i \in cl[c].jobs : i.st = "check" /\ ~i.turned} :
        LET me == cl[c]
            others == me.jobs \ {j}
            again == Sent([me EXCEPT !.jobs = others \cup {[j EXCEPT !.st = "sent"]}], Delete([j EXCEPT !.first = FALSE]))
        IN /\ \E v \in LookUps(c) :
                LET tree == zk.hist[v]
                    ours == tree.top = "plain" /\ IsOf(tree.at, c, j.n)
                IN Step(c, IF j.way # "plain" \/ ours \/ Bug = "blind delete" THEN again
                           ELSE [me EXCEPT !.jobs = others])
           /\ UNCHANGED budget

(* LockSession: the timer at the lease's end tells the holder.             *)
Notice(c) ==
    /\ cl[c].phase = "granted" /\ ~cl[c].lease
    /\ Step(c, [cl[c] EXCEPT !.phase = "lapsed"])
    /\ UNCHANGED budget

(* LockSession: a transaction every sixth of the session time-out.         *)
Renew(c) ==
    /\ cl[c].phase \in {"look", "wait", "confirm", "granted"}
    /\ ~cl[c].lease /\ cl[c].ends = 0
    /\ Step(c, [cl[c] EXCEPT !.lease = TRUE])
    /\ UNCHANGED budget

(* LockSession.end: a holder has lost its grant, a waiter enters anew in a *)
(* new session.                                                            *)
LearnEnd(c) ==
    LET me == cl[c]
        anew == [me EXCEPT !.net = <<>>, !.jobs = {}, !.ends = 0, !.lease = FALSE, !.view = zk.zxid,
                           !.made = FALSE, !.node = NoNode, !.own = FALSE, !.former = NoNode]
    IN /\ me.ends # 0
       /\ Step(c, CASE me.phase = "idle" -> anew
                    [] me.phase \in {"granted", "lapsed"} \/ me.left -> Over(anew)
                    [] OTHER -> Enter([anew EXCEPT !.n = @ + 1]))
       /\ UNCHANGED budget

GiveUp(c) ==
    LET me == cl[c] IN
    /\ budget.giveUps > 0 /\ ~me.left
    /\ me.phase \notin {"idle", "granted", "lapsed"}
    /\ Step(c, CASE me.phase \in {"enter", "places", "find", "replace"} -> [me EXCEPT !.left = TRUE]
                 [] me.phase \in {"obstr", "watch"} -> Over(me)
                 [] OTHER -> Remove(c, me))
    /\ budget' = [budget EXCEPT !.giveUps = @ - 1]

-----------------------------------------------------------------------------
(* The servers' steps, and the faults.                                     *)

Unhandled(net) == {i \in DOMAIN net : net[i].st = "sent"}
Drop(net, i) == SubSeq(net, 1, i - 1) \o SubSeq(net, i + 1, Len(net))

(* The leader handles a session's requests in their order.  An answer to a *)
(* delete that cannot be lost any more is told at once, to spare a step.   *)
Handle(c) ==
    LET me == cl[c] IN
    /\ Unhandled(me.net) # {} /\ me.ends = 0
    /\ LET i == Min(Unhandled(me.net))
           r == me.net[i]
           did == Apply(Now, c, r, zk.zxid + 1)
           at == IF did.tree = Now THEN zk.zxid ELSE zk.zxid + 1
           answered == [r EXCEPT !.st = "done", !.code = did.code, !.at = at, !.node = did.node]
       IN StepTo(c, IF /\ r.op \in {"delete", "remove"} /\ did.code # "NOTEMPTY"
                       /\ i = 1 /\ budget.losses = 0
                    THEN [me EXCEPT !.net = Drop(@, i), !.jobs = {j \in @ : j.n # r.n \/ r.stale}]
                    ELSE [me EXCEPT !.net = IF r.stale THEN Drop(@, i) ELSE [@ EXCEPT ![i] = answered]],
                 did.tree)
    /\ UNCHANGED budget

(* What a lost connection left behind never arrives, or the leader refuses *)
(* it because the session has moved.                                       *)
Forget(c) ==
    LET me == cl[c] IN
    /\ Unhandled(me.net) # {}
    /\ me.net[Min(Unhandled(me.net))].stale
    /\ Step(c, [me EXCEPT !.net = Drop(@, Min(Unhandled(me.net)))])
    /\ UNCHANGED budget

(* The connection is lost: no answer to what is under way ever comes.      *)
Lose(c) ==
    LET me == cl[c]
        undone == SelectSeq(me.net, LAMBDA r : r.st = "sent")
    IN /\ budget.losses > 0
       /\ \E i \in DOMAIN me.net : ~me.net[i].stale
       /\ Step(c, [me EXCEPT !.net = [i \in DOMAIN undone |-> [undone[i] EXCEPT !.stale = TRUE]],
                             !.jobs = {[j EXCEPT !.st = "check"] : j \in @},
                             !.turning = IF @ = "asked" THEN "again" ELSE @,
                             !.phase = CASE @ = "enter" -> "find"
                                         [] @ = "places" -> "replace"
                                         [] OTHER -> @])
       /\ budget' = [budget EXCEPT !.losses = @ - 1]

(* The lease ends: the client or its servers were slow, frozen, cut off.   *)
Lapse(c) ==
    /\ budget.lapses > 0 /\ cl[c].lease
    /\ Step(c, [cl[c] EXCEPT !.lease = FALSE])
    /\ budget' = [budget EXCEPT !.lapses = @ - 1]

(* The leader expires the session, with all its nodes.                     *)
Expire(c) ==
    LET me == cl[c]
        tree == Without(Now, {k \in NodesIn(Now) : k.c = c})
    IN /\ budget.expiries > 0 /\ ~Idle(me) /\ ~me.lease /\ me.ends = 0
       /\ cl' = [cl EXCEPT ![c].ends = zk.zxid + 1, ![c].net = SelectSeq(@, LAMBDA r : r.st = "done")]
       /\ zk' = After(tree, zk.zxid + 1, cl')
       /\ budget' = [budget EXCEPT !.expiries = @ - 1]
       /\ UNCHANGED token

(* The servers remove an empty container that once had a child.            *)
Reap ==
    /\ Now.top = "place" /\ Now.kids = {} /\ Now.seq > 0
    /\ zk' = After(NoTree, zk.zxid + 1, cl)
    /\ UNCHANGED <<cl, budget, token>>

(* Somebody deletes the node of a contender that is about to confirm.      *)
Meddle(c) ==
    /\ budget.operators > 0 /\ cl[c].phase = "confirm" /\ cl[c].node \in NodesIn(Now)
    /\ StepTo(c, cl[c], Without(Now, {cl[c].node}))
    /\ budget' = [budget EXCEPT !.operators = @ - 1]

Done == \A c \in Clients : Idle(cl[c]) /\ cl[c].rounds = 0 /\ cl[c].net = <<>>

Finished == Done /\ UNCHANGED vars

Progress(c) ==
    \/ Deliver(c) \/ Find(c) \/ MakePlaceAgain(c) \/ Inspect(c) \/ Unobstructed(c)
    \/ Look(c) \/ Woken(c) \/ Confirm(c) \/ Release(c) \/ Again(c) \/ Turn(c) \/ TurnAgain(c) \/ Seek(c) \/ Repeat(c) \/ Notice(c) \/ LearnEnd(c)
    \/ Handle(c) \/ Forget(c)

Fault(c) == Lose(c) \/ Lapse(c) \/ Expire(c) \/ GiveUp(c) \/ Meddle(c)

Next == Reap \/ Finished \/ \E c \in Clients : Begin(c) \/ Progress(c) \/ Renew(c) \/ Fault(c)

Spec == Init /\ [][Next]_vars

(* Whatever can go on does.  No step of Progress can be repeated without   *)
(* end while faults are few, so who is passed over comes in the end.       *)
FairSpec == Spec /\ WF_vars(\E c \in Clients : Progress(c))

-----------------------------------------------------------------------------
(* The promises.                                                           *)

Excludes(c, d) == c # d /\ ~(cl[c].mode = "R" /\ cl[d].mode = "R")

(* What isHeld() says.                                                     *)
IsHeld(c) == cl[c].phase = "granted" /\ (cl[c].lease \/ Bug = "no lease")

(* As ZooKeeper sees it: granted, not released, the session alive.         *)
Holds(c) == cl[c].phase \in {"granted", "lapsed"} /\ cl[c].ends = 0

(* Promise 1.                                                              *)
MutualExclusion == \A c, d \in Clients : Holds(c) /\ Holds(d) => ~Excludes(c, d)

(* Promise 2: while isHeld() is true, our node is there, nobody is before  *)
(* it, and nobody whom it excludes believes the same.                      *)
HeldIsTrue ==
    \A c \in Clients : IsHeld(c) =>
        /\ \E node \in {cl[c].node} \cup (IF cl[c].turning = "no" THEN {} ELSE {[cl[c].node EXCEPT !.m = "R"]}) :
             /\ node \in NodesIn(Now)
             /\ Now.top = "place" => Before(Now, node) = {}
        /\ \A d \in Clients : IsHeld(d) => ~Excludes(c, d)

(* Promise 3: a write's token is above all before it; a read's above all   *)
(* writes before it.                                                       *)
TokensInOrder == token.ok

(* Promise 5, as far as nodes go: a contender never has two nodes, and none *)
(* is left when all is over.                                               *)
OneNodeEach ==
    \A k, o \in NodesIn(Now) : k.c = o.c /\ k.n = o.n => k = o

NothingLeft == Done => NodesIn(Now) = {}

Waiting(c) == cl[c].phase \notin {"idle", "granted", "lapsed"}

(* A waiter is eventually granted, unless it gives up.                     *)
EventuallyGranted == \A c \in Clients : Waiting(c) ~> ~Waiting(c)

=============================================================================
