namespace Geo.Consistency;

/// <summary>What the messages between instances of a persistent grain, and its rows, have in common.</summary>
internal static class CasMessages
{
    internal static void Write(PayloadWriter writer, CasWriter author)
    {
        writer.WriteUnsigned((ulong)author.Instance);
        if (!author.IsNone)
        {
            writer.WriteText(author.Cluster.Name);
        }
    }

    /// <exception cref="GeoSerializationException">The bytes name no writer.</exception>
    internal static CasWriter ReadWriter(ref PayloadReader reader)
    {
        var instance = ReadNumber(ref reader);
        if (instance == 0)
        {
            return default;
        }

        var name = reader.ReadRequiredText();
        try
        {
            return new(new(name), instance);
        }
        catch (ArgumentException e)
        {
            throw new GeoSerializationException($"it names a cluster '{name}', which cannot be.", e);
        }
    }

    /// <summary>A number that is never negative.</summary>
    /// <exception cref="GeoSerializationException">It is.</exception>
    internal static long ReadNumber(ref PayloadReader reader) =>
        reader.ReadUnsigned() is var number and <= long.MaxValue
            ? (long)number
            : throw new GeoSerializationException("it holds a number out of range.");
}
