package io.github.zklock.aop;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import org.junit.jupiter.api.Test;
import org.springframework.core.ResolvableType;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

class EmptyResultTests {

	@Test
	void primitivesHaveNone() {
		assertThat(EmptyResult.existsFor(int.class)).isFalse();
		assertThat(EmptyResult.existsFor(boolean.class)).isFalse();
		assertThat(EmptyResult.existsFor(void.class)).isTrue();
		assertThat(EmptyResult.existsFor(Integer.class)).isTrue();
	}

	@Test
	void publishersThatMustEmitHaveNone() {
		assertThat(EmptyResult.existsFor(Single.class)).isFalse();
		assertThat(EmptyResult.existsFor(Maybe.class)).isTrue();
		assertThat(EmptyResult.existsFor(Mono.class)).isTrue();
	}

	@Test
	void objectsAreNull() {
		assertThat(EmptyResult.of(ResolvableType.forClass(String.class))).isNull();
		assertThat(EmptyResult.of(ResolvableType.forClass(void.class))).isNull();
		assertThat(EmptyResult.of(ResolvableType.forClass(List.class))).isNull();
	}

	@Test
	void optionalsAreEmpty() {
		assertThat(EmptyResult.of(ResolvableType.forClass(Optional.class))).isEqualTo(Optional.empty());
		assertThat(EmptyResult.of(ResolvableType.forClass(OptionalInt.class))).isEqualTo(OptionalInt.empty());
		assertThat(EmptyResult.of(ResolvableType.forClass(OptionalLong.class))).isEqualTo(OptionalLong.empty());
		assertThat(EmptyResult.of(ResolvableType.forClass(OptionalDouble.class))).isEqualTo(OptionalDouble.empty());
	}

	@Test
	void futuresAreCompleteWithTheEmptyValueOfTheirType() {
		assertThat((CompletableFuture<?>) EmptyResult
			.of(ResolvableType.forClassWithGenerics(CompletableFuture.class, String.class))).isCompletedWithValue(null);
		assertThat((CompletionStage<?>) EmptyResult.of(ResolvableType.forClassWithGenerics(CompletionStage.class,
				ResolvableType.forClassWithGenerics(Optional.class, String.class))))
			.succeedsWithin(Duration.ZERO)
			.isEqualTo(Optional.empty());
	}

	@Test
	void publishersAreEmpty() {
		assertThat(((Mono<?>) EmptyResult.of(ResolvableType.forClass(Mono.class))).blockOptional()).isEmpty();
		assertThat(((Flux<?>) EmptyResult.of(ResolvableType.forClass(Flux.class))).collectList().block()).isEmpty();
		assertThat(JdkFlowAdapter
			.flowPublisherToFlux((Flow.Publisher<?>) EmptyResult.of(ResolvableType.forClass(Flow.Publisher.class)))
			.collectList()
			.block()).isEmpty();
	}

}
