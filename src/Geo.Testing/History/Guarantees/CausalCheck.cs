using System.Runtime.InteropServices;

namespace Geo.Testing;

/// <summary>
/// Cause and effect over all objects. A past is a vector: how many updates of each session are in it. An update of unknown outcome has a
/// place of its own, so that what its session does next does not stand on it.
/// </summary>
internal sealed class CausalCheck
{
    private readonly UpdateHistory _history;
    private readonly Dictionary<string, int[]> _pasts = [];
    private readonly Dictionary<SessionUpdate, Cause> _causes = [];
    private readonly Dictionary<(string Key, int Place), List<Cause>> _byPlace = [];
    private readonly Dictionary<string, List<int>> _placesOfKey = [];
    private readonly Dictionary<string, SequenceScan<int>> _scans = [];
    private readonly Dictionary<SessionKnowledge, int> _learnt = [];

    private CausalCheck(UpdateHistory history)
    {
        _history = history;
        var places = new Dictionary<string, int>();
        var opened = 0;
        var counts = new Dictionary<string, int>();
        foreach (var session in history.Operations.Select(o => o.Process).Distinct())
        {
            places[session] = places.Count;
        }

        foreach (var update in history.Updates.OrderBy(u => u.Write.CalledAt))
        {
            var isOpen = update.Write.ReturnedAt is null;
            if (isOpen && !update.IsSeen)
            {
                continue;
            }

            var session = update.Write.Process;
            var place = isOpen ? places.Count + opened++ : places[session];
            var cause = new Cause(update, place, isOpen ? 0 : counts[session] = counts.GetValueOrDefault(session, -1) + 1);
            _causes.Add(update, cause);
            if (!_byPlace.TryGetValue((update.Write.Key, place), out var causes))
            {
                _byPlace[(update.Write.Key, place)] = causes = [];
                (CollectionsMarshal.GetValueRefOrAddDefault(_placesOfKey, update.Write.Key, out _) ??= []).Add(place);
            }

            causes.Add(cause);
        }

        Size = places.Count + opened;
    }

    private int Size { get; }

    public static GuaranteeViolation? Run(UpdateHistory history) => new CausalCheck(history).Run();

    private GuaranteeViolation? Run()
    {
        var reads = _history.Reads.ToDictionary(r => r.Read);
        foreach (var (operation, isReturn) in _history.Events)
        {
            var past = _pasts.TryGetValue(operation.Process, out var known) ? known : _pasts[operation.Process] = new int[Size];
            if (operation.Operation.Kind == UpdateCallKind.Write)
            {
                if (_causes.TryGetValue(_history.Find(operation.Key, operation.Operation.Update)!, out var cause))
                {
                    cause.Past ??= [.. past];
                    past[cause.Place] = isReturn ? cause.Number + 1 : past[cause.Place];
                }
            }
            else if (isReturn && Check(reads[operation], past) is { } found)
            {
                return found;
            }
        }

        return null;
    }

    /// <summary>Checks a read whose session has a past, to which it adds what the read has seen.</summary>
    private GuaranteeViolation? Check(SessionRead read, int[] past)
    {
        var scan = _scans.TryGetValue(read.Read.Key, out var begun) ? begun : _scans[read.Read.Key] = new(_history, read.Read.Key);
        foreach (var (number, update) in scan.Follow(read))
        {
            if (update is null || _causes[update].Past is not { } before)
            {
                return new GuaranteeViolation(
                    $"{read.Read.Process} sees update {number}, which was not written before, or has failed.", read.Read);
            }

            if (FindBefore(update.Write.Key, before, scan) is { } missing)
            {
                return new GuaranteeViolation(
                    $"{read.Read.Process} sees update {number} without update {missing} before it, which is a cause of it.",
                    read.Read,
                    update.Write,
                    missing.Write);
            }
        }

        foreach (var place in _placesOfKey.GetValueOrDefault(read.Read.Key) ?? [])
        {
            foreach (var cause in _byPlace[(read.Read.Key, place)].TakeWhile(c => c.Number < past[place]))
            {
                if (!scan.Shows(cause.Update, read.Updates.Count))
                {
                    return new GuaranteeViolation(
                        $"{read.Read.Process} does not see update {cause.Update}, which comes before.", read.Read, cause.Update.Write);
                }
            }
        }

        var knowledge = _history.Of(read.Read.Process, read.Read.Key);
        var learnt = _learnt.GetValueOrDefault(knowledge);
        var fresh = knowledge.Seen.Skip(learnt).TakeWhile(u => scan.Shows(u, read.Updates.Count)).Select(u => _causes[u]).ToArray();
        _learnt[knowledge] = learnt + fresh.Length;
        foreach (var cause in fresh)
        {
            for (var i = 0; i < past.Length; i++)
            {
                past[i] = Math.Max(past[i], cause.Past![i]);
            }

            past[cause.Place] = Math.Max(past[cause.Place], cause.Number + 1);
        }

        return null;
    }

    /// <summary>An update of an object that is in a past and not in what has been followed.</summary>
    private SessionUpdate? FindBefore(string key, int[] past, SequenceScan<int> scan)
    {
        foreach (var place in _placesOfKey[key])
        {
            var causes = _byPlace[(key, place)];
            ref var paid = ref CollectionsMarshal.GetValueRefOrAddDefault(scan.Paid, place, out _);
            for (; paid < causes.Count && causes[paid].Number < past[place]; paid++)
            {
                if (!scan.Shows(causes[paid].Update))
                {
                    return causes[paid].Update;
                }
            }
        }

        return null;
    }

    /// <summary>An update that can be a cause: its place in a vector, its number there, and the past in which it was written.</summary>
    private sealed record Cause(SessionUpdate Update, int Place, int Number)
    {
        public int[]? Past { get; set; }
    }
}
