using System.Collections.Immutable;

namespace Geo.Embedded;

/// <summary>What precedes the arguments of a call on the wire.</summary>
/// <param name="Target">The grain; the type may be an interface's alias.</param>
/// <param name="MethodId">The method.</param>
/// <param name="Number">The number by which the call can be cancelled; 0 for none.</param>
/// <param name="IsForwarded">True between clusters, false from a client.</param>
/// <param name="Timeout">How long the caller still waits.</param>
/// <param name="ChainTimeout">How long the first caller of the chain still waits.</param>
/// <param name="Callers">The calls that led here.</param>
/// <param name="Values">What travels with the call.</param>
internal readonly record struct CallHeader(
    GrainKey Target,
    ulong MethodId,
    ulong Number,
    bool IsForwarded,
    TimeSpan Timeout,
    TimeSpan ChainTimeout,
    CallChain? Callers,
    ImmutableDictionary<string, object> Values)
{
    private const byte Version = 1;
    private const int MaxChain = 256;

    /// <summary>Writes a call with its arguments.</summary>
    public static void WriteCall(PayloadWriter writer, GrainCall call, ulong number, Deadlines deadlines, TimeSpan timeout)
    {
        writer.WriteByte(Version);
        writer.WriteText(call.Target.Type);
        writer.WriteText(call.Target.Key);
        writer.WriteUnsigned(call.Method.Id);
        writer.WriteUnsigned(number);
        writer.WriteUnsigned(Milliseconds(timeout));
        writer.WriteUnsigned(Milliseconds(deadlines.Until(call.ChainDueAt)));
        WriteChain(writer, call.Callers);
        ContextValues.Write(writer, call.Values);
        call.WriteArguments(writer);
    }

    /// <summary>Reads what precedes the arguments.</summary>
    /// <exception cref="GeoSerializationException">It is not a call, or of a version that is not known here.</exception>
    public static CallHeader Read(ref PayloadReader reader, bool isForwarded)
    {
        var version = reader.ReadByte();
        if (version != Version)
        {
            throw new GeoSerializationException(
                $"A call of version {version} arrived; this process knows version {Version}. Update the older side.");
        }

        return new CallHeader(
            new GrainKey(reader.ReadRequiredText(), reader.ReadRequiredText()),
            reader.ReadUnsigned(),
            reader.ReadUnsigned(),
            isForwarded,
            TimeSpan.FromMilliseconds(Math.Min(reader.ReadUnsigned(), int.MaxValue)),
            TimeSpan.FromMilliseconds(Math.Min(reader.ReadUnsigned(), int.MaxValue)),
            ReadChain(ref reader),
            ContextValues.Read(ref reader));
    }

    private static ulong Milliseconds(TimeSpan time) => (ulong)Math.Max(0, time.TotalMilliseconds);

    private static void WriteChain(PayloadWriter writer, CallChain? chain)
    {
        writer.WriteUnsigned((ulong)(chain?.Length ?? 0));
        for (; chain is not null; chain = chain.Caller)
        {
            writer.WriteText(chain.Grain.Type);
            writer.WriteText(chain.Grain.Key);
            writer.WriteText(chain.Method);
        }
    }

    private static CallChain? ReadChain(ref PayloadReader reader)
    {
        var count = reader.ReadCount();
        if (count == 0)
        {
            return null;
        }

        if (count > MaxChain)
        {
            throw new GeoSerializationException($"A call arrived with {count} calls before it; at most {MaxChain} are read.");
        }

        var calls = new (GrainKey Grain, string Method)[count];
        for (var i = 0; i < count; i++)
        {
            calls[i] = (new GrainKey(reader.ReadRequiredText(), reader.ReadRequiredText()), reader.ReadRequiredText());
        }

        CallChain? chain = null;
        for (var i = count - 1; i >= 0; i--)
        {
            chain = new CallChain(calls[i].Grain, calls[i].Method, chain);
        }

        return chain;
    }
}
