package io.github.zklock.aop;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.asm.AnnotationVisitor;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the calls of locked methods on {@code this}, which no proxy sees, in the bytecode
 * of a class. A method that has another object of the class, from a parameter, a field, a
 * call, a cast or a constructor, may call that, and is left out.
 */
final class SelfCalls {

	private static final Logger log = LoggerFactory.getLogger(SelfCalls.class);

	private static final int OF_COMPILER = Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC;

	private static final String SUSPENDING = "$suspendImpl";

	private static final List<Class<?>> OF_CONTAINER = List.of(Aware.class, InitializingBean.class,
			DisposableBean.class, AutoCloseable.class);

	private final Map<String, Method> locked = new HashMap<>();

	private final List<SelfCall> found = new ArrayList<>();

	private final Map<String, Set<String>> callers = new HashMap<>();

	private final Set<String> finals = new HashSet<>();

	private final Set<String> privates = new HashSet<>();

	private SelfCalls(Collection<Method> locked) {
		locked.forEach((method) -> this.locked.put(signature(method), method));
	}

	/**
	 * Looks for calls of locked methods.
	 * @param type a class with locked methods; it and its superclasses are looked at
	 * @param locked the locked methods
	 * @param byClass whether the proxy is of a subclass
	 * @param byContainer says whether the container calls a method on the bean itself
	 * @return the calls, none if the class files cannot be read
	 */
	static List<SelfCall> in(Class<?> type, Collection<Method> locked, boolean byClass, Predicate<Method> byContainer) {
		SelfCalls calls = new SelfCalls(locked);
		for (Class<?> one = type; one != null && one.getClassLoader() != null; one = one.getSuperclass()) {
			calls.read(one);
		}
		if (byClass && !calls.found.isEmpty()) {
			calls.keepThoseOfTheContainer(type, byContainer);
			calls.removeThoseOnTheProxy();
		}
		return calls.found;
	}

	// What the container calls on the bean itself, before there is a proxy or at its end;
	// annotated ones, too
	private void keepThoseOfTheContainer(Class<?> type, Predicate<Method> byContainer) {
		for (Class<?> one : ClassUtils.getAllInterfacesForClass(type)) {
			if (OF_CONTAINER.stream().anyMatch((known) -> known.isAssignableFrom(one))) {
				for (Method method : one.getMethods()) {
					this.finals.remove(signature(method));
				}
			}
		}
		for (Method method : ReflectionUtils.getAllDeclaredMethods(type)) {
			if (byContainer.test(method)) {
				this.finals.remove(signature(method));
				this.privates.remove(signature(method));
			}
		}
	}

	// A proxy of a subclass has no method of its own for a final one, which so runs on
	// the proxy, as does what only such methods call
	private void removeThoseOnTheProxy() {
		Set<String> onProxy = new HashSet<>(this.callers.keySet());
		onProxy.retainAll(this.privates);
		onProxy.addAll(this.finals);
		while (onProxy.removeIf((one) -> !onProxy.containsAll(this.callers.getOrDefault(one, Set.of())))) {
			// Another method calls it, which may run on the bean itself
		}
		this.found.removeIf((call) -> onProxy.contains(call.caller()));
	}

	private static String signature(Method method) {
		return method.getName() + Type.getMethodDescriptor(method);
	}

	private void read(Class<?> type) {
		try (InputStream bytes = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
			if (bytes != null) {
				new ClassReader(bytes).accept(new Reader(Type.getInternalName(type)),
						ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
			}
		}
		catch (IOException | RuntimeException ex) {
			log.debug("The class file of {} cannot be read", type, ex);
		}
	}

	/** Reads the methods of one class. */
	private final class Reader extends ClassVisitor {

		private final String owner;

		Reader(String owner) {
			super(SpringAsmInfo.ASM_VERSION);
			this.owner = owner;
		}

		// What calls a bridge of the compiler has come through the proxy, which locks it
		@Override
		public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor,
				@Nullable String signature, String @Nullable [] exceptions) {
			if ((access & Opcodes.ACC_STATIC) == 0) {
				if ((access & Opcodes.ACC_PRIVATE) != 0) {
					SelfCalls.this.privates.add(name + descriptor);
				}
				else if ((access & Opcodes.ACC_FINAL) != 0) {
					SelfCalls.this.finals.add(name + descriptor);
				}
			}
			return ((access & Opcodes.ACC_BRIDGE) != 0) ? null
					: new Body(this.owner, declared(access, name, descriptor));
		}

		// Kotlin has the code of an open suspending function in a static method, which is
		// given the object
		private String declared(int access, String name, String descriptor) {
			String given = "(L" + this.owner + ";";
			boolean suspending = (access & OF_COMPILER) == OF_COMPILER && name.endsWith(SUSPENDING)
					&& descriptor.startsWith(given);
			return suspending ? name.substring(0, name.length() - SUSPENDING.length()) + "("
					+ descriptor.substring(given.length()) : name + descriptor;
		}

	}

	/** Reads the instructions of one method. */
	private final class Body extends MethodVisitor {

		private final List<SelfCall> calls = new ArrayList<>();

		private final String owner;

		private final String descriptor;

		private final String signature;

		private boolean hasAnother;

		/**
		 * Whether a suspending function has just got back what it had when it suspended.
		 */
		private boolean resumed;

		Body(String owner, String signature) {
			super(SpringAsmInfo.ASM_VERSION);
			this.owner = owner;
			this.descriptor = "L" + owner + ";";
			this.signature = signature;
			this.hasAnother = signature.contains(this.descriptor);
		}

		// It may be one that the container calls, as for @Autowired
		@Override
		public @Nullable AnnotationVisitor visitAnnotation(String descriptor, boolean visible) {
			SelfCalls.this.finals.remove(this.signature);
			return null;
		}

		@Override
		public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
			this.hasAnother |= descriptor.contains(this.descriptor);
			this.resumed = opcode == Opcodes.GETFIELD && name.startsWith("L$") && owner.startsWith(this.owner + "$");
		}

		@Override
		public void visitTypeInsn(int opcode, String type) {
			this.hasAnother |= type.equals(this.owner) && opcode != Opcodes.INSTANCEOF && !this.resumed;
			this.resumed = false;
		}

		@Override
		public void visitVarInsn(int opcode, int variable) {
			this.resumed = false;
		}

		@Override
		public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
			this.hasAnother |= Type.getReturnType(descriptor).getDescriptor().equals(this.descriptor);
			if (opcode == Opcodes.INVOKEVIRTUAL && owner.equals(this.owner)) {
				calls(name + descriptor);
			}
			// A private method, in older bytecode, or one of the superclass
			else if (opcode == Opcodes.INVOKESPECIAL && !name.equals("<init>")) {
				isCalled(name + descriptor);
			}
		}

		// A method reference that has its object, as in this::work
		@Override
		public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
			for (Object argument : arguments) {
				if (argument instanceof Handle handle && handle.getOwner().equals(this.owner)
						&& descriptor.startsWith("(" + this.descriptor)) {
					calls(handle.getName() + handle.getDesc());
				}
			}
		}

		private void isCalled(String called) {
			SelfCalls.this.callers.computeIfAbsent(called, (missing) -> new HashSet<>()).add(this.signature);
		}

		private void calls(String called) {
			isCalled(called);
			Method method = SelfCalls.this.locked.get(called);
			if (method != null && !called.equals(this.signature)) {
				this.calls.add(new SelfCall(this.signature, method));
			}
		}

		@Override
		public void visitEnd() {
			if (!this.hasAnother) {
				SelfCalls.this.found.addAll(this.calls);
			}
		}

	}

	/**
	 * A call that is not locked.
	 *
	 * @param caller the name and descriptor of the method that calls
	 * @param called the locked method
	 */
	record SelfCall(String caller, Method called) {

		boolean isBy(Method method) {
			return this.caller.equals(signature(method));
		}

		// A lambda is a method of its own: lambda$name$0
		String callerName() {
			String name = this.caller.substring(0, this.caller.indexOf('('));
			return name.startsWith("lambda$") ? name.split("\\$", -1)[1] : name;
		}

	}

}
