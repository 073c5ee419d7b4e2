namespace Geo.Testing;

/// <summary>What a simulated client can ask of a grain.</summary>
internal enum CallKind : byte
{
    /// <summary>A linearizable update: enqueue, confirm.</summary>
    Append,

    /// <summary>A conditional update.</summary>
    AppendIf,

    /// <summary>A local update: enqueue only.</summary>
    Enqueue,

    /// <summary>A linearizable read: refresh, read confirmed.</summary>
    Read,

    /// <summary>A local read.</summary>
    Peek,

    /// <summary>A linearizable read of the whole log, for the end of a run.</summary>
    Dump,
}

/// <summary>A call of a simulated grain.</summary>
internal sealed record SimulatedCall(CallKind Kind, GrainKey Key, IReadOnlyList<int> Updates)
{
    public byte[] Encode()
    {
        var writer = new PayloadWriter();
        writer.WriteByte((byte)Kind);
        writer.WriteText(Key.ToString());
        SimulatedReply.Write(writer, Updates);
        return writer.ToArray();
    }

    public static SimulatedCall Decode(ReadOnlySpan<byte> bytes)
    {
        var reader = new PayloadReader(bytes);
        var kind = (CallKind)reader.ReadByte();
        var key = GrainKey.Parse(reader.ReadRequiredText());
        return new SimulatedCall(kind, key, SimulatedReply.Read(ref reader));
    }

    public override string ToString() => $"{Kind} {Key}{(Updates.Count == 0 ? "" : $" {string.Join('+', Updates)}")}";
}
