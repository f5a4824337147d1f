package io.github.zklock.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class AllowedAccessTests {

	private static final Id SHOP = new Id("digest", "shop:hash");

	private final AllowedAccess access = new AllowedAccess(List.of(SHOP),
			new ConfiguredAcl(List.of("creator", "ip:10.0.0.0/8:cr"), true));

	private String others(String entry) {
		List<ACL> acl = new ArrayList<>(List.of(new ACL(Perms.ALL, SHOP)));
		acl.addAll(new ConfiguredAcl(List.of(entry), true).getDefaultAcl());
		return this.access.others("/any", acl);
	}

	@ParameterizedTest
	@CsvSource({ "ip:0.0.0.0/0:cdrwa,ip:0.0.0.0/0", "ip:10.0.0.0/8:crd,ip:10.0.0.0/8", "ip:127.0.0.1:c,ip:127.0.0.1",
			"x509:CN=other:w,x509:CN=other", "sasl:other:a,sasl:other", "world:anyone:d,everybody" })
	void whoMayWriteCreateOrDeleteButIsNotNamedIsFound(String entry, String named) {
		assertThat(others(entry)).isEqualTo(named);
	}

	@ParameterizedTest
	@ValueSource(strings = { "world:anyone:r", "ip:10.0.0.0/8:cr", "digest:shop:hash:cdrwa" })
	void whoOnlyReadsOrIsNamedOrIsThisClientIsNotFound(String entry) {
		assertThat(others(entry)).isEmpty();
	}

	@Test
	void whatSeveralEntriesAllowIsAllowedTogether() {
		AllowedAccess parts = new AllowedAccess(List.of(SHOP),
				new ConfiguredAcl(List.of("ip:10.0.0.1:c", "ip:10.0.0.1:d"), true));
		assertThat(parts.others("/any", new ConfiguredAcl(List.of("ip:10.0.0.1:cd"), true).getDefaultAcl())).isEmpty();
	}

	@Test
	void anIdIsNamedInOneLineAndWithoutItsHash() {
		String named = this.access.others("/any",
				List.of(new ACL(Perms.ALL, new Id("digest", "x\nERROR forged:ha\nsh"))));
		assertThat(named).isEqualTo("digest:x?ERROR forged");
	}

	@Test
	void anotherPasswordOfTheSameNameIsAnother() {
		assertThat(others("digest:shop:guessed:d")).isEqualTo("digest:shop");
	}

}
