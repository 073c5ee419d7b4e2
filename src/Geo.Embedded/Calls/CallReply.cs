using System.Text;

namespace Geo.Embedded;

/// <summary>The replies to calls: a result, an exception, or that the grain is not here.</summary>
internal static class CallReply
{
    private const byte SuccessKind = 1;
    private const byte FailureKind = 2;
    private const byte NotHereKind = 3;
    private const int MaxCauses = 8;
    private const int MaxText = 16 * 1024;

    /// <summary>The grain has no instance in the cluster that was asked.</summary>
    public static readonly ReadOnlyMemory<byte> NotHere = new[] { NotHereKind };

    /// <summary>True when a reply says that the grain is not there.</summary>
    public static bool IsNotHere(ReadOnlySpan<byte> reply) => reply is [NotHereKind];

    /// <summary>The reply with a result.</summary>
    public static ReadOnlyMemory<byte> Success<T>(ValueCodec<T> codec, T result, IGeoSerializer serializer)
    {
        var writer = PayloadWriters.Rent();
        try
        {
            writer.WriteByte(SuccessKind);
            codec.Write(writer, result, serializer);
            return writer.ToArray();
        }
        finally
        {
            PayloadWriters.Return(writer);
        }
    }

    /// <summary>The reply with an exception: its type's name, message, stack trace and causes.</summary>
    /// <param name="exception">The exception.</param>
    /// <param name="tellsStack">False to leave the stack trace out.</param>
    public static ReadOnlyMemory<byte> Failure(Exception exception, bool tellsStack = true)
    {
        var writer = new PayloadWriter();
        writer.WriteByte(FailureKind);
        var causes = 0;
        for (var cause = exception; cause is not null && causes < MaxCauses; cause = cause.InnerException, causes++)
        {
            writer.WriteByte(1);
            writer.WriteText((cause as GeoRemoteException)?.RemoteType ?? cause.GetType().FullName);
            writer.WriteText(Sendable(static e => (e as GeoRemoteException)?.RemoteMessage ?? e.Message, cause) ?? "");
            writer.WriteText(tellsStack ? Sendable(static e => e.StackTrace, cause) : null);
        }

        writer.WriteByte(0);
        return writer.ToArray();
    }

    /// <summary>Reads up to the result.</summary>
    /// <returns>The exception that the reply holds; null when a result follows.</returns>
    /// <exception cref="GeoSerializationException">It is not a reply.</exception>
    public static Exception? ReadSuccess(ref PayloadReader reader, ExceptionTypes types)
    {
        var kind = reader.ReadByte();
        return kind switch
        {
            SuccessKind => null,
            FailureKind => ReadFailure(ref reader, types, 0)
                ?? throw new GeoSerializationException("A reply says that the call failed, but not how."),
            _ => throw new GeoSerializationException($"A reply of kind {kind} arrived, which is not known here; update the older side."),
        };
    }

    private static Exception? ReadFailure(ref PayloadReader reader, ExceptionTypes types, int depth)
    {
        if (depth > MaxCauses || reader.ReadByte() == 0)
        {
            return null;
        }

        var type = reader.ReadRequiredText();
        var message = reader.ReadRequiredText();
        var stack = reader.ReadText();
        var exception = types.Create(type, message, ReadFailure(ref reader, types, depth + 1));
        return stack is null ? exception : System.Runtime.ExceptionServices.ExceptionDispatchInfo.SetRemoteStackTrace(exception, stack);
    }

    /// <summary>
    /// What an exception says, as it can be sent, whatever its class makes of it: a failure that cannot be told is one more.
    /// </summary>
    private static string? Sendable(Func<Exception, string?> tell, Exception exception)
    {
        string? text;
        try
        {
            text = tell(exception);
        }
        catch (Exception e)
        {
            return $"(what {exception.GetType()} says could not be read: {e.GetType()})";
        }

        // Half of a surrogate pair, also one that the cut makes, is sent as the replacement character.
        var cut = text is { Length: > MaxText } ? text[..MaxText] + "..." : text;
        return cut is null ? null : Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(cut));
    }
}
