using Geo.Consistency.Lattices;
using Geo.Directory;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>
/// Takes each call to its grain: to the activation here, where there is one, without asking anybody; otherwise where the class's
/// attributes and, for single-instance grains, the directory say (GEO section 3.1). More than 400 lines: a short method for each step of a
/// call's way, which are told apart by rules of their own (<see cref="CallFollowing"/>).
/// </summary>
internal sealed class CallRouter(
    GrainClasses classes,
    Func<ActivationTable> activations,
    Func<ReadReplicas> replicas,
    Func<InstanceDirectories> directories,
    IClusterMessenger messenger,
    ClusterReach reach,
    Cancellations cancellations,
    Deadlines deadlines,
    SiloSurroundings around,
    SiblingCalls? siblings,
    Func<LatticeReplicas?> lattices,
    GeoEmbeddedOptions options,
    ILogger logger) : ICallRouter
{
    /// <summary>
    /// The service under which calls between clusters travel: a name of this host's form of them, which no other host reads.
    /// </summary>
    public const string Service = "geo.embedded.call";

    private readonly CallFollowingLimits _limits = new(options.MaxRoutingAttempts, options.UnreachableAfter);

    private volatile string? _stopped = "has not started yet";

    /// <summary>Begins to take calls.</summary>
    public void Open() => _stopped = null;

    /// <summary>Takes no more calls.</summary>
    public void Close() => _stopped = "has stopped";

    public void Route(GrainCall call)
    {
        try
        {
            if (_stopped is { } why)
            {
                throw new GeoUnavailableException($"The silo of cluster {messenger.LocalCluster} {why}; {call} was not executed.");
            }

            var grainClass = classes.Find(call.Target.Type);
            call.Target = new GrainKey(grainClass.TypeName, call.Target.Key);
            var isPartial = grainClass.Lattice is { Replicas: > 0 };
            if (isPartial && lattices()!.HasHeat && !IsHere(call))
            {
                // An activation may be left of the time when it was.
                CallHolder(call);
            }
            else if (grainClass.Declaration.PerSilo == 1
                && activations().TryGet(call.Target, out var activation) && !IsLeft(activation, call))
            {
                // Without asking: an activation that is here has the grain, or will find out where it is.
                RunOn(call, activation, MethodOf(call, grainClass).Kind);
            }
            else if (grainClass.Declaration.Instancing == Instancing.GlobalSingle)
            {
                var method = MethodOf(call, grainClass);
                if (!MayBeReplicas(call, grainClass, method) || !replicas().TryRead(call))
                {
                    LookUp(call);
                }
            }
            else if (isPartial && !lattices()!.IsHere(call.Target))
            {
                CallHolder(call);
            }
            else if (siblings is not null && !call.IsPassed && siblings.HomeOf(call.Target) is var home && siblings.IsElsewhere(home))
            {
                Pass(call, home);
            }
            else
            {
                Follow(call, CallEventKind.FoundHere, "");
            }
        }
        catch (Exception e)
        {
            Refuse(call, e);
        }
    }

    /// <summary>
    /// True of an activation that ends for another cluster's: however long that takes, other calls need not wait for it. Those that come
    /// from it have it wait for them.
    /// </summary>
    private static bool IsLeft(Activation activation, GrainCall call) =>
        activation.Turns.Deactivation is { ReasonCode: DeactivationReasonCode.DuplicateActivation }
        && call.Callers?.Includes(call.Target) != true;

    public void GoOn(GrainCall call, CallEvent happened, string why)
    {
        try
        {
            if (call.Copy is not null)
            {
                // A read replica that ended: the call has not been on its way yet.
                call.AsksInstance();
                Route(call);
                return;
            }

            Follow(call, happened, why);
        }
        catch (Exception e)
        {
            Refuse(call, e);
        }
    }

    public void Pass(GrainCall call, string node)
    {
        if (call.Way.Stage == CallStage.Looking)
        {
            (call.Way, _) = call.Way.On(CallEventKind.FoundHere, _limits);
        }

        if (call.IsPassed)
        {
            // Its sender looks again, so that no call travels in circles.
            call.NotHere();
            return;
        }

        _ = PassAsync(call, node);
    }

    private bool IsHere(GrainCall call) =>
        call.Way is { IsArrived: false, Attempts: 0 } ? lattices()!.IsCalledHere(call.Target) : lattices()!.IsHere(call.Target);

    /// <summary>
    /// Goes to the first cluster with a replica that is linked, so that calls from here see each other's updates as long as it is; to the
    /// next one where it does not have it, by a configuration of its own.
    /// </summary>
    private void CallHolder(GrainCall call)
    {
        var holders = lattices()!.HoldersOf(call.Target);
        var linked = holders.Where(messenger.IsLinked).ToArray();
        Follow(
            call,
            call.Way.IsArrived
                ? CallEventKind.FoundNowhere
                : CallEvent.FoundElsewhere(linked.Length > 0 ? linked[call.Way.Attempts % linked.Length] : holders[0]),
            "");
    }

    private static BoundMethod MethodOf(GrainCall call, GrainClass grainClass) =>
        grainClass.Methods.TryGetValue(call.Method.Id, out var method)
            ? method
            : throw new GeoConfigurationException(
                $"{call.Method.Signature} was called on {call.Target}, but its class {grainClass.Type.FullName} does not implement that "
                + "interface.");

    /// <summary>True where a read replica of this silo may answer: of a call that begins here.</summary>
    private static bool MayBeReplicas(GrainCall call, GrainClass grainClass, BoundMethod method) =>
        grainClass.Replica is not null && method is { Kind: TurnQueue.Kind.ReadOnly, Method.IsOneWay: false }
        && call is { IsForInstance: false, IsPassed: false, Way.IsArrived: false };

    private void BeginReplica(GrainCall call)
    {
        if (classes.Find(call.Target.Type) is { Replica: { } replica } grainClass
            && MayBeReplicas(call, grainClass, MethodOf(call, grainClass)))
        {
            replicas().Begin(call.Target, replica);
        }
    }

    /// <summary>Does what follows from what has happened to a call.</summary>
    private void Follow(GrainCall call, CallEvent happened, string why)
    {
        (call.Way, var effect) = call.Way.On(happened, _limits);
        if (!effect.Forget.IsNone)
        {
            Forget(call.Target, effect.Forget);
        }

        switch (effect.Step)
        {
            case CallStep.LookUp:
                EmbeddedMetrics.ReroutedCalls.Add(1);
                LookAgain(call, effect.Pause);
                break;

            case CallStep.LookUpAnew:
                EmbeddedMetrics.ReroutedCalls.Add(1);
                _ = LookUpAnewAsync(call, why);
                break;

            case CallStep.RunHere:
                var grainClass = classes.Find(call.Target.Type);
                var here = grainClass.Declaration.PerSilo == 1
                    ? activations().GetOrBegin(call.Target, grainClass)
                    : activations().PickOrBegin(call.Target, grainClass, call.Callers);
                RunOn(call, here, MethodOf(call, grainClass).Kind);
                break;

            case CallStep.Carry:
                EmbeddedMetrics.ForwardedCalls.Add(1);
                BeginReplica(call);
                _ = CarryAsync(call, effect.To);
                break;

            case CallStep.ReplyNotHere:
                call.NotHere();
                break;

            case CallStep.Refuse:
                Refuse(call, new GeoUnavailableException($"{call} was not executed: {why}."));
                break;

            case CallStep.RefuseKeepsMoving:
                Refuse(call, new GeoUnavailableException(
                    $"{call} did not find its grain in {call.Way.Attempts} attempts (MaxRoutingAttempts); last, {why}. It was not "
                    + "executed."));
                break;

            case CallStep.ReportUnknown:
                call.TryFail(new GeoOutcomeUnknownException($"Whether {call} was executed is not known: {why}. Read before trying again."));
                break;

            default:
                // Answered, by whoever says that it was.
                break;
        }
    }

    private void RunOn(GrainCall call, Activation activation, TurnQueue.Kind kind)
    {
        // Before it is accepted: from then on the activation has the call.
        if (call.Way.Stage == CallStage.Looking)
        {
            (call.Way, _) = call.Way.On(CallEventKind.FoundHere, _limits);
        }

        if (activation.TryAccept(call, kind))
        {
            EmbeddedMetrics.LocalCalls.Add(1);
            if (activation.Class.FollowsCallers)
            {
                activation.Silo.Homes!.NoteCall(activation.Key, (call as InboundCall)?.From ?? default);
            }
        }
        else
        {
            Follow(call, CallEventKind.InstanceEnded, "the activation ended as the call came");
        }
    }

    private void LookAgain(GrainCall call, TimeSpan pause)
    {
        if (pause > TimeSpan.Zero)
        {
            _ = LookAgainAfterAsync(call, pause);
        }
        else if (call.IsWanted())
        {
            Route(call);
        }
    }

    private async Task LookAgainAfterAsync(GrainCall call, TimeSpan pause)
    {
        await Task.Delay(pause, deadlines.Time).ConfigureAwait(around.KeepsContext);
        if (call.IsWanted())
        {
            Route(call);
        }
    }

    private void LookUp(GrainCall call)
    {
        var mode = classes.Find(call.Target.Type).Declaration.Mode;
        var directory = directories().Of(mode);
        var lookup = call.Way.IsArrived
            ? directory.FindHereAsync(call.Target, call.Cancellation)
            : mode == SingleInstanceMode.Quorum && activations().TryGet(call.Target, out _)
                ? FindNextAsync(directory, call)
                : directory.LookupAsync(call.Target, call.Cancellation);
        if (lookup.IsCompletedSuccessfully)
        {
            Found(call, lookup.Result);
        }
        else
        {
            _ = LookUpAsync(call, lookup);
        }
    }

    /// <summary>
    /// Where a grain is whose activation here is left (<see cref="IsLeft"/>), also by its row: that nobody has called it here since does
    /// not say that nobody has it. In the other modes this cluster's own row points to whoever has it.
    /// </summary>
    private async ValueTask<Placement?> FindNextAsync(IInstanceDirectory directory, GrainCall call) =>
        await directory.LookupAsync(call.Target, call.Cancellation).ConfigureAwait(around.KeepsContext)
            ?? await directory.FindAnewAsync(call.Target, cancellationToken: call.Cancellation).ConfigureAwait(around.KeepsContext);

    private async Task LookUpAsync(GrainCall call, ValueTask<Placement?> lookup)
    {
        try
        {
            Found(call, await lookup.ConfigureAwait(around.KeepsContext));
        }
        catch (Exception e)
        {
            Refuse(call, e);
        }
    }

    private async Task LookUpAnewAsync(GrainCall call, string why)
    {
        try
        {
            var found = await directories().Global.FindAnewAsync(call.Target, call.Way.Lost, call.Cancellation)
                .ConfigureAwait(around.KeepsContext);
            if (call.IsWanted())
            {
                Found(call, found, why);
            }
        }
        catch (Exception e)
        {
            Refuse(call, e);
        }
    }

    /// <summary>
    /// The activation acquires the row itself, within its own life. Where the row is this silo's and no instance is, one begins for an
    /// arrived call, too: nobody else may activate the grain then.
    /// </summary>
    private void Found(GrainCall call, Placement? placement, string why = "")
    {
        if (placement is { Kind: PlacementKind.Here, Node: { } node } && siblings?.IsElsewhere(node) == true)
        {
            Pass(call, node);
            return;
        }

        Follow(
            call,
            placement switch
            {
                null => CallEventKind.FoundNowhere,
                { Kind: PlacementKind.Here } => CallEventKind.FoundHere,
                { } elsewhere => CallEvent.FoundElsewhere(elsewhere.Cluster),
            },
            why);
    }

    private void Forget(GrainKey key, ClusterId stale)
    {
        if (siblings is null)
        {
            directories().Forget(key, stale);
        }
        else
        {
            siblings.Forget(key, stale);
        }
    }

    private async Task PassAsync(GrainCall call, string node)
    {
        var writer = PayloadWriters.Rent();
        try
        {
            var left = TimeLeft(call);
            writer.WriteText(call is InboundCall { From: { IsNone: false } from } ? from.Name : null);
            CallHeader.WriteCall(writer, call, number: 0, deadlines, left);
            if (call.Method.IsOneWay)
            {
                siblings!.Pass(node, writer.Written);
                return;
            }

            var reply = await siblings!.PassAsync(node, writer.Written, left + (2 * options.TimeoutResolution), call.Cancellation)
                .ConfigureAwait(around.KeepsContext);
            switch (reply.Outcome)
            {
                case ReplyOutcome.Replied when !CallReply.IsNotHere(reply.Payload.Span):
                    Follow(call, CallEventKind.Answered, "");
                    call.Answer(reply.Payload);
                    break;

                case ReplyOutcome.Unknown:
                    Follow(call, CallEventKind.Unknown, $"no answer came from silo {node} ({reply.Reason})");
                    break;

                default:
                    Follow(call, CallEventKind.InstanceEnded, $"silo {node} does not have it any more");
                    break;
            }
        }
        catch (OperationCanceledException e) when (call.Cancellation.IsCancellationRequested)
        {
            call.TryFail(e);
        }
        catch (Exception e)
        {
            Refuse(call, e);
        }
        finally
        {
            PayloadWriters.Return(writer);
        }
    }

    private async Task CarryAsync(GrainCall call, ClusterId cluster)
    {
        var writer = PayloadWriters.Rent();
        var number = cancellations.NumberFor(call);
        try
        {
            // The messenger waits a little longer than the call, so that a time-out is the call's own, which names the chain.
            var left = TimeLeft(call);
            CallHeader.WriteCall(writer, call, number, deadlines, left);
            var message = new MessageOptions(
                PartitionKey: call.SenderKey, Timeout: left + (2 * options.TimeoutResolution), GrainClass: call.Target.Type);
            if (call.Method.IsOneWay)
            {
                if (!messenger.TrySend(cluster, Service, writer.Written, message))
                {
                    Follow(call, Undelivered(call, cluster), $"nothing can be sent to cluster {cluster}");
                }

                return;
            }

            var reply = await directories()
                .RequestAsync(messenger, cluster, call.Target, Service, writer.Written, message, call.Cancellation)
                .ConfigureAwait(around.KeepsContext);
            End(call, cluster, reply);
        }
        catch (OperationCanceledException e) when (number != 0 && call.Cancellation.IsCancellationRequested)
        {
            Cancellations.Send(messenger, cluster, call.SenderKey, number);
            call.TryFail(e);
        }
        catch (Exception e)
        {
            Refuse(call, e);
        }
        finally
        {
            PayloadWriters.Return(writer);
        }
    }

    private TimeSpan TimeLeft(GrainCall call)
    {
        var left = deadlines.Until(call.AnswerDueAt);
        return left > TimeSpan.FromMilliseconds(1) ? left : TimeSpan.FromMilliseconds(1);
    }

    private void End(GrainCall call, ClusterId cluster, ClusterReply reply)
    {
        switch (reply.Outcome)
        {
            case ReplyOutcome.Replied when CallReply.IsNotHere(reply.Payload.Span):
                Follow(call, CallEventKind.NotThere, $"{cluster} does not have it any more");
                break;

            case ReplyOutcome.Replied:
                Follow(call, CallEventKind.Answered, "");
                call.AnsweredIn = cluster;
                call.Answer(reply.Payload);
                break;

            case ReplyOutcome.Refused:
                Follow(call, Undelivered(call, cluster), $"cluster {cluster} cannot be reached ({reply.Reason})");
                break;

            default:
                Follow(call, CallEventKind.Unknown, $"no answer came from cluster {cluster} ({reply.Reason})");
                break;
        }
    }

    private CallEvent Undelivered(GrainCall call, ClusterId cluster)
    {
        if (classes.Find(call.Target.Type).Lattice is { Replicas: > 0 })
        {
            // It did not run, and another cluster has a replica, too.
            return lattices()!.HoldersOf(call.Target).Any(holder => holder != cluster && messenger.IsLinked(holder))
                ? CallEventKind.GivenUp
                : CallEventKind.Refused;
        }

        var outOfReach = reach.DownFor(cluster);
        var kind = CallFollowing.OnUndelivered(
            classes.Find(call.Target.Type).Declaration.Mode, !directories().Global.Configuration.Includes(cluster), outOfReach, _limits);
        if (kind == CallEventKind.GivenUp)
        {
            EmbeddedMetrics.InstancesGivenUp.Add(1);
            RuntimeLog.InstanceGivenUp(logger, call.Target, cluster, outOfReach ?? default);
        }

        return kind;
    }

    private static void Refuse(GrainCall call, Exception exception)
    {
        EmbeddedMetrics.RefusedCalls.Add(1);
        call.TryFail(exception);
    }
}
