using System.Linq.Expressions;
using System.Reflection;

namespace Geo.Embedded;

/// <summary>The plan of a method with its result's type; calls the grain by a compiled delegate.</summary>
internal sealed class GrainMethod<TResult> : GrainMethod
{
    private readonly PromiseKind _promise;

    public GrainMethod(MethodInfo method, PromiseKind promise)
        : base(method)
    {
        _promise = promise;
        Result = (ValueCodec<TResult>)ValueCodec.For(typeof(TResult), method.ReturnParameter.IsDefined(typeof(ImmutableAttribute)));
        Invoke = Compile(method);
    }

    /// <summary>How the result travels.</summary>
    public ValueCodec<TResult> Result { get; }

    /// <summary>Calls the method of a grain.</summary>
    public Func<object, object?[], ValueTask<TResult>> Invoke { get; }

    public override object? Call(ICallSender sender, GrainKey target, object?[] arguments)
    {
        if (sender.SharesMemory)
        {
            CopyArguments(arguments, sender.Serializer);
        }

        var call = new LocalCall<TResult>(this, target, arguments, sender);
        call.Start();
        var promise = sender.Around.EndHere(call.Promise);
        return _promise switch
        {
            PromiseKind.Task => promise,
            PromiseKind.ValueTask when typeof(TResult) == typeof(Nothing) => new ValueTask(promise),
            PromiseKind.ValueTask => new ValueTask<TResult>(promise),
            _ => null,
        };
    }

    public override InboundCall Receive(
        in CallHeader header, ref PayloadReader arguments, ICallSender sender, CancellationToken cancellationToken) =>
        new InboundCall<TResult>(
            this, header, ReadArguments(ref arguments, sender.Serializer, cancellationToken), sender, cancellationToken);

    private static Func<object, object?[], ValueTask<TResult>> Compile(MethodInfo method)
    {
        var target = Expression.Parameter(typeof(object), "target");
        var arguments = Expression.Parameter(typeof(object?[]), "arguments");
        Expression call = Expression.Call(
            Expression.Convert(target, method.DeclaringType!),
            method,
            method.GetParameters().Select((p, i) =>
                Expression.Convert(Expression.ArrayIndex(arguments, Expression.Constant(i)), p.ParameterType)));
        if (method.ReturnType == typeof(void))
        {
            call = Expression.Block(call, Expression.Constant(Task.CompletedTask, typeof(Task)));
        }

        var convert = typeof(GrainMethod<TResult>).GetMethod(
            nameof(Promised), BindingFlags.Static | BindingFlags.NonPublic, binder: null, [call.Type], modifiers: null)!;
        var promised = Expression.Call(convert, call);
        return Expression.Lambda<Func<object, object?[], ValueTask<TResult>>>(promised, target, arguments).Compile();
    }

    private static async ValueTask<TResult> Promised(Task task)
    {
        await (task ?? throw NoTask());
        return default!;
    }

    private static async ValueTask<TResult> Promised(ValueTask task)
    {
        await task;
        return default!;
    }

    private static ValueTask<TResult> Promised(Task<TResult> task) => new(task ?? throw NoTask());

    private static ValueTask<TResult> Promised(ValueTask<TResult> task) => task;

    private static InvalidOperationException NoTask() => new("The grain's method returned null in place of a task.");
}
