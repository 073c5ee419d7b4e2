namespace Geo.Consistency;

/// <summary>What a leader tells a follower, and what that answers, as bytes.</summary>
internal static class AppendCodec
{
    internal static byte[] Write(Append append)
    {
        var writer = new PayloadWriter();
        writer.WriteByte((byte)LeaderMessage.Append);
        Write(writer, append);
        return writer.ToArray();
    }

    internal static void Write(PayloadWriter writer, Append append)
    {
        TermCodec.Write(writer, append.Term);
        writer.WriteUnsigned((ulong)append.Configuration);
        writer.WriteUnsigned((ulong)append.Incarnation);
        writer.WriteUnsigned((ulong)append.Named);
        writer.WriteUnsigned((ulong)append.Step);
        writer.WriteUnsigned((ulong)append.Confirmed);
        writer.WriteByte(append.ConfirmsAtOnce ? (byte)1 : (byte)0);
        writer.WriteUnsigned((ulong)append.Round);
        TermCodec.Write(writer, append.Log);
    }

    /// <summary>Reads what follows the message's first byte.</summary>
    /// <exception cref="GeoSerializationException">The bytes are nothing that a leader tells.</exception>
    internal static Append Read(ref PayloadReader reader)
    {
        var append = new Append(
            TermCodec.ReadTerm(ref reader), TermCodec.ReadNumber(ref reader), TermCodec.ReadNumber(ref reader),
            TermCodec.ReadNumber(ref reader), TermCodec.ReadNumber(ref reader), TermCodec.ReadNumber(ref reader), reader.ReadByte() != 0,
            TermCodec.ReadNumber(ref reader), TermCodec.ReadLog(ref reader));
        return append.Term.IsNone || (append.Log is { } log && (log.At != append.Term || log.Step != append.Step))
            ? throw TermCodec.Damaged("tells the log of another term or step than it says")
            : append;
    }

    internal static byte[] Write(AppendAnswer answer)
    {
        var writer = new PayloadWriter();
        writer.WriteByte((byte)answer.Kind);
        TermCodec.Write(writer, answer.Promised);
        writer.WriteUnsigned((ulong)answer.Configuration);
        writer.WriteUnsigned((ulong)answer.Incarnation);
        writer.WriteUnsigned((ulong)answer.Step);
        writer.WriteUnsigned((ulong)answer.Round);
        return writer.ToArray();
    }

    /// <exception cref="GeoSerializationException">The bytes are not an answer.</exception>
    internal static AppendAnswer ReadAnswer(ReadOnlySpan<byte> message)
    {
        var reader = new PayloadReader(message);
        var kind = (AppendAnswerKind)reader.ReadByte();
        return kind is < AppendAnswerKind.Adopted or > AppendAnswerKind.Behind
            ? throw TermCodec.Damaged("answers a leader in an unknown way")
            : new(
                kind, TermCodec.ReadTerm(ref reader), TermCodec.ReadNumber(ref reader), TermCodec.ReadNumber(ref reader),
                TermCodec.ReadNumber(ref reader), TermCodec.ReadNumber(ref reader));
    }
}
