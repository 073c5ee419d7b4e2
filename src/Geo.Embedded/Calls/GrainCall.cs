using System.Collections.Immutable;
using Geo.Consistency;
using Geo.Directory;

namespace Geo.Embedded;

/// <summary>One call of a grain on its way: from its reference, or from the wire, to the end.</summary>
internal abstract class GrainCall(
    GrainMethod method, GrainKey target, CallChain? callers, ImmutableDictionary<string, object> values, ICallSender sender)
    : Turn
{
    /// <summary>The method called.</summary>
    public GrainMethod Method { get; } = method;

    /// <summary>The grain called; a client's call names an interface in place of the type until the silo has resolved it.</summary>
    public GrainKey Target { get; set; } = target;

    /// <summary>The calls during which this one was made; null for the first.</summary>
    public CallChain? Callers { get; } = callers;

    /// <summary>
    /// What keeps its order with the call on the way to another cluster: what the calling grain sends there; for a call of a client, the
    /// calls of the same grain (Partisan section 4.3).
    /// </summary>
    public PartitionKey SenderKey => (Callers?.Grain ?? Target).ToPartitionKey();

    /// <summary>What travels with the call.</summary>
    public ImmutableDictionary<string, object> Values { get; } = values;

    /// <summary>When the caller gives up; never earlier than <see cref="Turn.ChainDueAt"/>.</summary>
    public long AnswerDueAt { get; protected set; }

    /// <summary>How far it has come on its way to its grain. One at a time has the call, and may change this.</summary>
    public CallFollowing Way { get; set; }

    /// <summary>Set when nobody waits for the result any more.</summary>
    public abstract CancellationToken Cancellation { get; }

    /// <summary>True when the call has been answered, or given up.</summary>
    public abstract bool HasEnded { get; }

    /// <summary>True when another silo of this cluster has passed it here: it is not passed on again.</summary>
    public bool IsPassed { get; set; }

    /// <summary>Whether the silo may answer for its grain; null where it always may.</summary>
    public ILeaseGuard? Guard { get; set; }

    /// <summary>
    /// The copy that was within its bound when the call came to a read replica; null where it runs on the grain's instance.
    /// </summary>
    public ReadCopy? Copy { get; set; }

    /// <summary>True when it has asked a read replica for what no copy has: whatever its method makes of that does not count.</summary>
    public bool AsksForMore { get; set; }

    /// <summary>True when a read replica did not have what the call asks for: the grain's instance answers it.</summary>
    public bool IsForInstance { get; private set; }

    /// <summary>The other cluster that has answered it; none where that was this one.</summary>
    public ClusterId AnsweredIn { get; set; }

    /// <summary>True when the grain's method has ended: the turn does so at once, and its caller may know of it before.</summary>
    public bool HasReturned { get; set; }

    /// <summary>When it began, where somebody wants to know how long it takes; else 0.</summary>
    private long BegunAt { get; set; }

    /// <summary>Where the call came from.</summary>
    protected ICallSender Sender { get; } = sender;

    public override void Unserved(GrainKey grain) => TryFail(LeaseRefusals.NotServed(grain));

    /// <summary>Ends the call with an exception; false when it had ended before.</summary>
    public abstract bool TryFail(Exception exception);

    /// <summary>Ends the call by the reply of another process.</summary>
    public abstract void Answer(ReadOnlyMemory<byte> reply);

    /// <summary>
    /// The grain is not here, although another cluster thought so; only for calls that have <see cref="CallFollowing.IsArrived"/>.
    /// </summary>
    public virtual void NotHere() => TryFail(new GeoUnavailableException($"{Target} is not active in this cluster."));

    /// <summary>Writes the arguments.</summary>
    public abstract void WriteArguments(PayloadWriter writer);

    /// <summary>
    /// The call waits for a grain that one of its own callers occupies. Half of the time left to the chain is given to it, so that it ends,
    /// naming the chain, before its callers do.
    /// </summary>
    public void WaitsForItself()
    {
        var deadlines = Sender.Deadlines;
        var left = deadlines.Until(ChainDueAt);
        if (left <= TimeSpan.Zero)
        {
            return;
        }

        var half = deadlines.After(left / 2);
        if (DueAt == 0)
        {
            deadlines.Add(this, half);
        }
        else
        {
            deadlines.Shorten(this, half);
        }
    }

    public override void Expire()
    {
        if (TryFail(new GeoOutcomeUnknownException(TimeoutText())))
        {
            At?.Drop(this);
        }
    }

    public override string ToString() => $"{Target}.{Method.Name}";

    /// <summary>The time that the call takes counts from here.</summary>
    protected void Begin() => BegunAt = EmbeddedMetrics.CallDuration.Enabled ? Sender.Deadlines.Time.GetTimestamp() : 0;

    /// <summary>The call has ended: counts the time that it took, where that was begun with.</summary>
    /// <param name="failure">What it ended with; null where it was answered with a result.</param>
    protected void Measure(Exception? failure)
    {
        // A client knows neither the class nor the region: its silo counts its calls.
        if (BegunAt == 0 || Sender.Cluster.IsNone)
        {
            return;
        }

        var outcome = failure switch
        {
            null => "done",
            GeoUnavailableException => "refused",
            GeoOutcomeUnknownException => "unknown",
            OperationCanceledException => "canceled",
            _ => "failed",
        };
        EmbeddedMetrics.CallDuration.Record(
            Sender.Deadlines.Time.GetElapsedTime(BegunAt).TotalSeconds,
            new(GrainTraces.ClassTag, Target.Type),
            new("geo.region", AnsweredIn.IsNone ? Sender.Cluster.Name : AnsweredIn.Name),
            new KeyValuePair<string, object?>("geo.outcome", outcome));
    }

    /// <summary>The call is not to be answered by the read replica that it has come to.</summary>
    public void AsksInstance() => (Copy, IsForInstance) = (null, true);

    /// <summary>
    /// True when it ran on a copy that did not have all that it asked for, or has meanwhile become too old: its result does not count.
    /// </summary>
    protected bool MissesCopy()
    {
        if (Copy is not { } copy
            || (!AsksForMore && (copy.IsFresh(Sender.Deadlines.Time) || ReadCopyRules.IsOff(ReadCopyRule.LookAgain))))
        {
            return false;
        }

        MissesCopy(isStale: !AsksForMore);
        return true;
    }

    /// <summary>True when it has failed because it ran on a copy, whatever its method has made of that.</summary>
    protected bool MissesCopy(Exception failure)
    {
        AsksForMore |= failure is ReadReplicaMissException;
        return AsksForMore && MissesCopy();
    }

    /// <summary>It goes on to the grain's instance when its turn has ended, or is refused.</summary>
    private void MissesCopy(bool isStale)
    {
        if (At?.Feed?.Miss(isStale) is { } refusal)
        {
            TryFail(refusal);
        }
        else
        {
            AsksInstance();
        }
    }

    /// <summary>Enters the scope of the call; left when the asynchronous method that entered it returns.</summary>
    protected CallFrame Enter()
    {
        var frame = new CallFrame(this, CallChain.Append(Callers, Target, Method.Name, Sender.MaxCallChain, At));
        CallScope.Enter(Values, frame);
        return frame;
    }

    /// <summary>
    /// What is left of the arguments of a call that was given up: the grain's method, which may never end, must not keep the others.
    /// </summary>
    protected object?[] Release(object?[] arguments)
    {
        if (Method.TokenIndex < 0)
        {
            return [];
        }

        var left = new object?[arguments.Length];
        left[Method.TokenIndex] = arguments[Method.TokenIndex];
        return left;
    }

    private string TimeoutText() => Callers is null
        ? $"{this} did not answer in time; whether it was executed is not known."
        : Callers.Includes(Target)
            ? $"{this} did not answer in time, probably because of a deadlock: {Target} waits, in this chain of calls, for itself: "
                + $"{Callers} -> {this}. Make its class [Reentrant], or the method [ReadOnly] or [AlwaysInterleave], or break the cycle."
            : $"{this} did not answer in time; whether it was executed is not known. The chain of calls: {Callers} -> {this}.";
}
