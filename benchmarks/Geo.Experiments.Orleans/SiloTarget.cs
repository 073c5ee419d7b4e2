using System.Runtime.InteropServices;
using Geo.Experiments.Messaging;
using Geo.Experiments.Messaging.Load;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Runtime.Placement;

namespace Geo.Experiments.Orleans;

/// <summary>The other silo: every actor calls a grain of its own there.</summary>
internal sealed class SiloTarget : IMessageTarget
{
    private const int MostActors = 1024;
    private const int Unacknowledged = 1_000;
    private static readonly TimeSpan JoinPatience = TimeSpan.FromSeconds(20);

    private readonly ActorTurns _turns;
    private readonly IEcho[] _echoes = new IEcho[2 * MostActors];
    private readonly Task<long>[] _acknowledged = [.. Enumerable.Repeat(Task.FromResult(0L), MostActors)];
    private readonly long[] _sent = new long[MostActors];

    private SiloTarget(ActorTurns turns) => _turns = turns;

    /// <summary>Waits for the other silo and places the grains: actors here, what they call there.</summary>
    public static async Task<SiloTarget> CreateAsync(IServiceProvider silo, PeerSettings settings)
    {
        var other = await OtherSiloAsync(silo);
        var grains = silo.GetRequiredService<IGrainFactory>();
        var target = new SiloTarget(silo.GetRequiredService<ActorTurns>());
        var actors = Enumerable.Range(0, Math.Max(settings.Cell.Actors, settings.Variant.BackgroundActors));
        await Task.WhenAll(
            actors.SelectMany(actor => (int[])[Number(Traffic.Foreground, actor), Number(Traffic.Background, actor)]).Select(async number =>
            {
                RequestContext.Set(IPlacementDirector.PlacementHintKey, other);
                target._echoes[number] = grains.GetGrain<IEcho>(number);
                if (await target._echoes[number].WhereAsync() is var place && place != other.ToParsableString())
                {
                    throw new InvalidOperationException($"Grain {number} was placed on {place}, not on {other}.");
                }

                RequestContext.Remove(IPlacementDirector.PlacementHintKey);
                await grains.GetGrain<IActor>(number).AppearAsync();
            }));
        return target;
    }

    public Task LiveAsync(Traffic traffic, int actor, Func<Task> life) =>
        Task.Factory.StartNew(life, CancellationToken.None, TaskCreationOptions.None, _turns.Of[Number(traffic, actor)]).Unwrap();

    public async ValueTask EchoAsync(Traffic traffic, int actor, ReadOnlyMemory<byte> payload)
    {
        var back = await _echoes[Number(traffic, actor)].EchoAsync(Whole(payload));
        if (back.Value.Length != payload.Length)
        {
            throw new InvalidOperationException($"{payload.Length} bytes were sent and {back.Value.Length} came back.");
        }
    }

    // Orleans takes one-way calls without a bound: a call with a reply now and then keeps the sender with its receiver.
    public async ValueTask SendAsync(int actor, ReadOnlyMemory<byte> payload)
    {
        var echo = _echoes[Number(Traffic.Foreground, actor)];
        await echo.CountAsync(Whole(payload));
        if (++_sent[actor] % Unacknowledged == 0)
        {
            var previous = _acknowledged[actor];
            _acknowledged[actor] = echo.CountedAsync().AsTask();
            await previous;
        }
    }

    public ValueTask<long> CountAsync() => _echoes[Number(Traffic.Foreground, 0)].CountedAsync();

    private static int Number(Traffic traffic, int actor) => ((int)traffic * MostActors) + actor;

    // The load's payloads are whole arrays.
    private static Immutable<byte[]> Whole(ReadOnlyMemory<byte> payload) =>
        new(
            MemoryMarshal.TryGetArray(payload, out var segment) && segment.Count == segment.Array!.Length
                ? segment.Array
                : payload.ToArray());

    private static async Task<SiloAddress> OtherSiloAsync(IServiceProvider silo)
    {
        var own = silo.GetRequiredService<ILocalSiloDetails>().SiloAddress;
        var membership = silo.GetRequiredService<IClusterMembershipService>();
        using var patience = new CancellationTokenSource(JoinPatience);
        await foreach (var snapshot in membership.MembershipUpdates.WithCancellation(patience.Token))
        {
            if (snapshot.Members.Values.FirstOrDefault(
                member => member.Status == SiloStatus.Active && !member.SiloAddress.Equals(own)) is { } other)
            {
                return other.SiloAddress;
            }
        }

        throw new InvalidOperationException("The other silo did not appear.");
    }
}
