namespace Geo.Consistency;

/// <summary>What reads and updates of sessions need of a view. Used on its scheduler.</summary>
internal interface ISessionView<TState, TUpdate> : IVersionedView<TState, TUpdate>
{
    GrainKey Key { get; }

    /// <summary>The grain, as marks name it.</summary>
    ulong GrainHash { get; }

    ClusterId Cluster { get; }

    TimeProvider Time { get; }

    /// <summary>All that was confirmed so long ago is shown; null where that is not known.</summary>
    TimeSpan? Age { get; }

    /// <summary>The instance, as the marks of its unconfirmed updates name it.</summary>
    uint InstanceHash { get; }

    /// <summary>
    /// Tells two stored versions of one number apart, of which one was made after the store had been set back; 0 of a version that is in no
    /// store.
    /// </summary>
    uint Edition => 0;

    /// <summary>The numbers of the updates queued here; none where none is unconfirmed.</summary>
    NumberRange Pending { get; }

    /// <summary>True where one of them is on a condition, and may be refused.</summary>
    bool IsConditionPending { get; }

    /// <summary>The mark of the version shown; null for version 0.</summary>
    SessionMark? Mark(ulong grain);

    /// <summary>What is known of a mark of this grain.</summary>
    MarkState StateOf(SessionMark mark);

    /// <summary>Waits until something else is shown, or more of what is queued is decided.</summary>
    Task NextChangeAsync(CancellationToken cancellationToken);

    /// <summary>Waits until the latest version is known, whatever became of updates raised before.</summary>
    Task LatestAsync(CancellationToken cancellationToken);

    /// <summary>Queues an update, unless there is no room for it or for who waits.</summary>
    /// <returns>
    /// The update's number, 0 where it was not queued or is part of a version at once; and the wait until it is, where it is waited for.
    /// </returns>
    /// <exception cref="GeoUnavailableException">The queue is full; nothing was queued.</exception>
    (long Number, Task Confirmed) Add(TUpdate update, bool isWaitedFor, CancellationToken cancellationToken);
}
