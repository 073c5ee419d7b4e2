namespace Geo.Messaging;

/// <summary>
/// Puts the messages of a lane together that arrive in fragments. Bounded by the payload that the begun messages have announced together.
/// </summary>
internal sealed class FragmentAssembly(int maxPayloadBytes, int version)
{
    private readonly Dictionary<ulong, Partial> _open = [];
    private long _openBytes;

    /// <summary>Takes a fragment in.</summary>
    /// <param name="number">The number that the fragments of one message share.</param>
    /// <param name="fragment">Its bytes.</param>
    /// <param name="fault">What is wrong with it; null when it is sound.</param>
    /// <returns>The message, when this was its last fragment.</returns>
    public Assembled? Add(ulong number, ReadOnlySpan<byte> fragment, out string? fault)
    {
        if (!_open.TryGetValue(number, out var partial))
        {
            if (!TryBegin(fragment, out partial, out fault))
            {
                return null;
            }

            _open.Add(number, partial);
            fragment = fragment[partial.Header.PayloadOffset..];
        }

        fault = null;
        if (fragment.Length > partial.Payload.Length - partial.Filled)
        {
            fault = $"a fragment beyond the end of its message of {partial.Payload.Length} bytes";
            return null;
        }

        fragment.CopyTo(partial.Payload.AsSpan(partial.Filled));
        partial.Filled += fragment.Length;
        if (partial.Filled < partial.Payload.Length)
        {
            return null;
        }

        _open.Remove(number);
        _openBytes -= partial.Payload.Length;
        return new Assembled(partial.Header, partial.Preface, partial.Payload);
    }

    private bool TryBegin(ReadOnlySpan<byte> fragment, out Partial partial, out string? fault)
    {
        partial = null!;
        if (!FrameHeader.TryRead(fragment, maxPayloadBytes, version, out var header, out fault))
        {
            fault ??= "a first fragment without a whole header";
            return false;
        }

        fault = header.Kind is not (FrameKind.OneWay or FrameKind.Request or FrameKind.Reply) ? $"a {header.Kind} frame in fragments"
            : fragment.Length < header.PayloadOffset || header.FrameBytes <= Fragment.MaxBytes
                ? "fragments of a message that needs none"
            : _openBytes > 0 && _openBytes + header.PayloadBytes > maxPayloadBytes
                ? $"too many messages in fragments at once: more than {maxPayloadBytes} bytes of payload"
            : null;
        if (fault is not null)
        {
            return false;
        }

        _openBytes += header.PayloadBytes;
        partial = new Partial(
            header, fragment[FrameHeader.Size..header.PayloadOffset].ToArray(), GC.AllocateUninitializedArray<byte>(header.PayloadBytes));
        return true;
    }

    /// <summary>A message that has arrived whole.</summary>
    public readonly record struct Assembled(FrameHeader Header, byte[] Preface, byte[] Payload);

    private sealed class Partial(FrameHeader header, byte[] preface, byte[] payload)
    {
        public FrameHeader Header { get; } = header;

        public byte[] Preface { get; } = preface;

        public byte[] Payload { get; } = payload;

        public int Filled { get; set; }
    }
}
