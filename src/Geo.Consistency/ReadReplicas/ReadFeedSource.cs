namespace Geo.Consistency;

/// <summary>The grain's instance as its read replicas see it.</summary>
internal static class ReadFeedSource
{
    /// <summary>Answers a read replica. Called on the view's scheduler.</summary>
    /// <param name="view">The view.</param>
    /// <param name="declaration">What the grain's class asks for.</param>
    /// <param name="serializer">Writes the state.</param>
    /// <param name="poll">The question.</param>
    /// <param name="cancellationToken">Ends the wait for the store.</param>
    /// <exception cref="GeoConfigurationException">The grain's protocol has no reads that say how old they are.</exception>
    /// <exception cref="GeoException">The store cannot be read, or the state cannot be written.</exception>
    internal static async Task<byte[]> AnswerAsync<TState, TUpdate>(
        IVersionedView<TState, TUpdate> view, GrainDeclaration declaration, IGeoSerializer serializer, byte[] poll,
        CancellationToken cancellationToken)
    {
        var source = view as ISessionView<TState, TUpdate> ?? throw ViewRefusals.Sessions(view.GetType());
        var asked = ReadFeedPoll.Read(poll);

        // A pessimistic instance is the only one, and what is in no store is compared with nobody's. Otherwise a duplicate may have
        // written.
        var isAlone = declaration.Mode != SingleInstanceMode.Optimistic || !declaration.UsesStore;
        if (!(source.Age <= (isAlone ? TimeSpan.MaxValue : asked.MaxAge)))
        {
            await source.LatestAsync(cancellationToken);
        }

        var age = isAlone ? TimeSpan.Zero : source.Age ?? throw new GeoUnavailableException($"{source.Key} has not read its store yet.");
        var history = declaration.UsesStore ? 0 : source.InstanceHash;
        var isKnown = asked.Has(history, view.Version, source.Edition);
        return new ReadFeedAnswer(
            history, view.Version, source.Edition, age, isKnown ? (ReadOnlyMemory<byte>?)null : Write(serializer, view.Confirmed)).Write();
    }

    private static ReadOnlyMemory<byte> Write<TState>(IGeoSerializer serializer, TState state)
    {
        var writer = new PayloadWriter();
        serializer.Serialize(state, writer);
        return writer.Written;
    }
}
