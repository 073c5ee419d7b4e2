using System.Diagnostics;

namespace Geo.Messaging;

/// <summary>
/// A W3C trace context on the wire: the fields of a <c>traceparent</c> as bytes, that is the trace id (16), the id of the sender's span
/// (8) and the flags (1).
/// </summary>
internal static class TraceContext
{
    public const int Size = SpanAt + SpanBytes + 1;

    private const int SpanAt = 16;
    private const int SpanBytes = 8;

    /// <summary>What the caller is part of; null when nothing is traced, or not in W3C's form.</summary>
    public static Activity? Current => Activity.Current is { IdFormat: ActivityIdFormat.W3C } activity ? activity : null;

    public static void Write(Activity? trace, Span<byte> bytes)
    {
        if (trace is not null)
        {
            trace.TraceId.CopyTo(bytes[..SpanAt]);
            trace.SpanId.CopyTo(bytes.Slice(SpanAt, SpanBytes));
            bytes[SpanAt + SpanBytes] = (byte)trace.ActivityTraceFlags;
        }
    }

    /// <summary>Reads the one between a frame's service and its payload.</summary>
    /// <returns>None when the frame carries none, or ids of nothing but zeros, which W3C says to ignore.</returns>
    public static ActivityContext Of(FrameHeader header, ReadOnlySpan<byte> preface)
    {
        if (!header.IsTraced)
        {
            return default;
        }

        var bytes = preface[header.ServiceBytes..];
        var trace = bytes[..SpanAt];
        var span = bytes.Slice(SpanAt, SpanBytes);
        return trace.ContainsAnyExcept((byte)0) && span.ContainsAnyExcept((byte)0)
            ? new ActivityContext(
                ActivityTraceId.CreateFromBytes(trace), ActivitySpanId.CreateFromBytes(span), (ActivityTraceFlags)bytes[SpanAt + SpanBytes],
                isRemote: true)
            : default;
    }
}
