using System.Reflection;
using System.Text;

namespace Geo.Embedded;

/// <summary>The plan of one method of a grain interface: how it is called, and how its arguments and result travel.</summary>
internal abstract class GrainMethod
{
    private static readonly TimeSpan LongestTimeout = TimeSpan.FromDays(365);

    protected GrainMethod(MethodInfo method)
    {
        var parameters = method.GetParameters();
        Name = method.Name;
        InterfaceType = method.DeclaringType!;
        Signature = SignatureOf(method);
        Id = StableHash.Hash128(Encoding.UTF8.GetBytes(Signature)).Low;
        IsReadOnly = method.IsDefined(typeof(ReadOnlyAttribute));
        IsAlwaysInterleave = method.IsDefined(typeof(AlwaysInterleaveAttribute));
        IsOneWay = method.IsDefined(typeof(OneWayAttribute));
        Timeout = TimeoutOf(method);
        TokenIndex = Array.FindIndex(parameters, p => p.ParameterType == typeof(CancellationToken));
        Arguments = new ValueCodec?[parameters.Length];
        for (var i = 0; i < parameters.Length; i++)
        {
            var type = parameters[i].ParameterType;
            Refuse(type.IsByRef || type.IsPointer || type.IsByRefLike, $"has the parameter '{parameters[i].Name}' by reference");
            Refuse(type == typeof(object), $"has the parameter '{parameters[i].Name}' of type object, which names no type to read");
            Refuse(typeof(Delegate).IsAssignableFrom(type), $"has the parameter '{parameters[i].Name}' of a delegate type");
            Refuse(type == typeof(CancellationToken) && i != TokenIndex, "has more than one cancellation token");
            Arguments[i] = i == TokenIndex ? null : ValueCodec.For(type, parameters[i].IsDefined(typeof(ImmutableAttribute)));
        }

        void Refuse(bool impossible, string what)
        {
            if (impossible)
            {
                throw new GeoConfigurationException(
                    $"The grain method {Signature} {what}, which cannot travel to another process; change it.");
            }
        }
    }

    /// <summary>The number by which other processes know the method: the same wherever its signature is.</summary>
    public ulong Id { get; }

    /// <summary>The method's name.</summary>
    public string Name { get; }

    /// <summary>The method with its interface and parameters, for people.</summary>
    public string Signature { get; }

    /// <summary>The interface that declares it.</summary>
    public Type InterfaceType { get; }

    public bool IsReadOnly { get; }

    public bool IsAlwaysInterleave { get; }

    public bool IsOneWay { get; }

    /// <summary>The method's own time-out; null for the caller's.</summary>
    public TimeSpan? Timeout { get; }

    /// <summary>Which parameter is the cancellation token; -1 for none.</summary>
    public int TokenIndex { get; }

    /// <summary>How each argument travels; null for the cancellation token, which does not.</summary>
    protected ValueCodec?[] Arguments { get; }

    /// <summary>Makes the plan of a method.</summary>
    /// <exception cref="GeoConfigurationException">The method cannot be called remotely.</exception>
    public static GrainMethod Of(MethodInfo method)
    {
        if (method.IsGenericMethodDefinition)
        {
            throw new GeoConfigurationException(
                $"The grain method {method.DeclaringType}.{method.Name} is generic; write one for each type.");
        }

        var (kind, result) = GrainMethodResult.Of(method);
        return (GrainMethod)Activator.CreateInstance(
            typeof(GrainMethod<>).MakeGenericType(result),
            BindingFlags.Instance | BindingFlags.Public | BindingFlags.DoNotWrapExceptions,
            binder: null,
            [method, kind],
            culture: null)!;
    }

    private static TimeSpan? TimeoutOf(MethodInfo method)
    {
        try
        {
            return method.GetCustomAttribute<ResponseTimeoutAttribute>()?.Timeout is not { } timeout ? null
                : timeout > TimeSpan.Zero && timeout <= LongestTimeout ? timeout
                : throw NotATimeout(timeout.ToString(), null);
        }
        catch (Exception e) when (e is FormatException or OverflowException)
        {
            throw NotATimeout("that is none", e);
        }

        GeoConfigurationException NotATimeout(string timeout, Exception? cause) => new(
            $"The grain method {SignatureOf(method)} has the time-out {timeout}; give it one of more than 0 and at most "
            + $"{LongestTimeout.TotalDays:0} days, such as [ResponseTimeout(\"00:00:05\")].", cause);
    }

    /// <summary>The method with its interface and parameters.</summary>
    public static string SignatureOf(MethodInfo method) =>
        $"{method.DeclaringType}.{method.Name}({string.Join(',', method.GetParameters().Select(p => p.ParameterType.ToString()))})";

    /// <summary>Starts a call from this process.</summary>
    /// <returns>The task that the interface's method promises; null for a method without one.</returns>
    public abstract object? Call(ICallSender sender, GrainKey target, object?[] arguments);

    /// <summary>Makes the call that arrived from another process.</summary>
    public abstract InboundCall Receive(
        in CallHeader header, ref PayloadReader arguments, ICallSender sender, CancellationToken cancellationToken);

    /// <summary>Writes the arguments.</summary>
    public void WriteArguments(PayloadWriter writer, object?[] arguments, IGeoSerializer serializer)
    {
        for (var i = 0; i < arguments.Length; i++)
        {
            Arguments[i]?.WriteBoxed(writer, arguments[i], serializer);
        }
    }

    /// <summary>Reads the arguments.</summary>
    protected object?[] ReadArguments(ref PayloadReader reader, IGeoSerializer serializer, CancellationToken cancellationToken)
    {
        var arguments = Arguments.Length == 0 ? [] : new object?[Arguments.Length];
        for (var i = 0; i < arguments.Length; i++)
        {
            arguments[i] = Arguments[i] is { } codec ? codec.ReadBoxed(ref reader, serializer) : cancellationToken;
        }

        return arguments;
    }

    /// <summary>Copies the arguments in place, so that the caller may change its own afterwards.</summary>
    protected void CopyArguments(object?[] arguments, IGeoSerializer serializer)
    {
        for (var i = 0; i < arguments.Length; i++)
        {
            arguments[i] = Arguments[i] is { } codec ? codec.CopyBoxed(arguments[i], serializer) : arguments[i];
        }
    }
}
