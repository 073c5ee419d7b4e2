namespace Geo.Consistency;

/// <summary>The updates of a batch, each behind its length.</summary>
internal static class BatchUpdates
{
    /// <exception cref="GeoSerializationException">An update cannot be written.</exception>
    internal static void Write<TUpdate>(PayloadWriter writer, UpdateQueue<TUpdate> queue, int count, IGeoSerializer serializer)
    {
        var update = new PayloadWriter();
        for (var i = 0; i < count; i++)
        {
            update.Reset();
            serializer.Serialize(queue[i], update);
            writer.WriteBytes(update.Written.Span);
        }
    }

    /// <summary>Reads all of them before the first is applied: a batch takes effect as a whole or not at all.</summary>
    /// <exception cref="GeoSerializationException">An update cannot be read.</exception>
    internal static TUpdate[] Read<TUpdate>(ref PayloadReader reader, int count, IGeoSerializer serializer)
    {
        var updates = new TUpdate[count];
        for (var i = 0; i < count; i++)
        {
            updates[i] = serializer.Deserialize<TUpdate>(reader.ReadBytes());
        }

        return updates;
    }
}
