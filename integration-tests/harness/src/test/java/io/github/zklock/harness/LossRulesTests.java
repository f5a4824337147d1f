package io.github.zklock.harness;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.RequestHeader;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LossRulesTests {

	private static final byte[] NOTHING = {};

	private static final Op CHECK = Op.check("/orders/lock", 3);

	private static final Op SET_DATA = Op.setData("/jobs/orders", NOTHING, 1);

	@Test
	void aRequestIsOfItsOwnType() throws IOException {
		byte[] delete = frame(OpCode.delete, new DeleteRequest("/orders", 0));
		assertThat(LossRules.type(delete)).isEqualTo(OpCode.delete);
	}

	@Test
	void aMultiIsOfTheTypeOfItsFirstOperation() throws IOException {
		Op keyNode = Op.create("/orders", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER);
		Op lockNode = Op.create("/orders/lock-", NOTHING, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
		assertThat(typeOf(keyNode, lockNode)).isEqualTo(-OpCode.createContainer);
		assertThat(typeOf(SET_DATA, CHECK)).isEqualTo(-OpCode.setData);
		assertThat(typeOf(Op.delete("/orders/lock", -1), SET_DATA)).isEqualTo(-OpCode.delete);
	}

	@Test
	void aMultiIsNotOfTheTypeOfTheChecksBeforeItsFirstChange() throws IOException {
		assertThat(typeOf(CHECK, SET_DATA)).isEqualTo(-OpCode.setData);
		assertThat(typeOf(CHECK, Op.check("/", -1), Op.delete("/orders", 2), SET_DATA)).isEqualTo(-OpCode.delete);
	}

	@Test
	void aMultiOfChecksAloneIsACheck() throws IOException {
		assertThat(typeOf(CHECK)).isEqualTo(-OpCode.check);
		assertThat(typeOf(CHECK, Op.check("/", -1))).isEqualTo(-OpCode.check);
	}

	@Test
	void aRuleForAChangeHitsItBehindACheckAndNoCheckAlone() throws IOException {
		LossRules rules = new LossRules();
		CompletableFuture<String> lost = rules.add(2, Set.of(-OpCode.setData), true, false);
		assertThat(rules.hitBy(multi(CHECK))).isEmpty();
		assertThat(rules.hitBy(multi(CHECK, SET_DATA))).isEmpty();
		assertThat(rules.hitBy(multi(CHECK))).isEmpty();
		assertThat(rules.hitBy(multi(CHECK, SET_DATA)))
			.hasValueSatisfying((loss) -> assertThat(loss.done()).isSameAs(lost));
		assertThat(rules.hitBy(multi(CHECK, SET_DATA))).isEmpty();
	}

	private static int typeOf(Op... operations) throws IOException {
		return LossRules.type(multi(operations));
	}

	private static byte[] multi(Op... operations) throws IOException {
		return frame(OpCode.multi, new MultiOperationRecord(List.of(operations)));
	}

	// As a client sends it
	private static byte[] frame(int type, Record request) throws IOException {
		ByteArrayOutputStream frame = new ByteArrayOutputStream();
		BinaryOutputArchive archive = BinaryOutputArchive.getArchive(frame);
		new RequestHeader(1, type).serialize(archive, "header");
		request.serialize(archive, "request");
		return frame.toByteArray();
	}

}
