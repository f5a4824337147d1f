package io.github.zklock.sample.shop;

import java.util.List;
import java.util.OptionalLong;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The fence in the database.
 */
@SpringBootTest
class BoxOfficeTests {

	@Autowired
	private BoxOffice boxOffice;

	@BeforeEach
	void open() {
		this.boxOffice.close("fence");
		this.boxOffice.open("fence", 10, OptionalLong.of(5));
	}

	@Test
	void aHolderMayWriteMoreThanOnce() throws InterruptedException {
		assertThat(sell(6)).containsExactly(10);
		assertThat(sell(6)).containsExactly(9);
	}

	@Test
	void aFormerHolderSellsNothing() throws InterruptedException {
		sell(6);
		assertThatExceptionOfType(LateWriteException.class).isThrownBy(() -> sell(5));
		assertThat(this.boxOffice.find("fence")).hasValue(new Stock("fence", 10, 9, 1, 0));
	}

	@Test
	void aFormerHolderPutsNothingOnSale() throws InterruptedException {
		sell(6);
		assertThatExceptionOfType(LateWriteException.class)
			.isThrownBy(() -> this.boxOffice.open("fence", 50, OptionalLong.of(5)));
		assertThat(this.boxOffice.find("fence")).hasValue(new Stock("fence", 10, 9, 1, 0));
	}

	@Test
	void newStockMovesTheFence() {
		this.boxOffice.open("fence", 20, OptionalLong.of(7));
		assertThatExceptionOfType(LateWriteException.class).isThrownBy(() -> sell(6));
	}

	private List<Integer> sell(long token) throws InterruptedException {
		return this.boxOffice.sell(new Order("fence", "ada", 1), () -> {
		}, OptionalLong.of(token));
	}

}
