using System.Text;
using System.Text.Json.Nodes;
using Geo.Consistency.Lattices;

namespace Geo.Consistency.Tests.Lattices.Kit;

/// <summary>
/// One lattice or composition, and what has to hold of it whatever the updates are, and whichever of their values are looked at.
/// </summary>
public abstract class LatticeCase(string name)
{
    public abstract void CheckLaws(Random updates, Random random);

    public abstract void CheckConvergence(Random updates, Random random);

    public abstract void CheckForms(Random updates, Random random);

    public abstract void CheckDamage(Random updates, Random random);

    public override string ToString() => name;
}

internal sealed class LatticeCase<T>(string name, Func<T, Actor, Random, T> delta) : LatticeCase(name)
    where T : ILattice<T>
{
    private const int Replicas = 3;

    public override void CheckLaws(Random updates, Random random)
    {
        var (states, deltas) = Run(updates, steps: 14);
        T[] values = [.. states, .. deltas, T.Bottom];
        for (var i = 0; i < 12; i++)
        {
            var (a, b, c) = (Pick(values, random), Pick(values, random), Pick(values, random));
            Assert.Equal(a, a.Merge(a));
            Assert.Equal(a, a.Merge(T.Bottom));
            Assert.Equal(a, T.Bottom.Merge(a));
            Assert.Equal(a.Merge(b), b.Merge(a));
            Assert.Equal(a.Merge(b).GetHashCode(), b.Merge(a).GetHashCode());
            Assert.Equal(a.Merge(b).Merge(c), a.Merge(b.Merge(c)));
            Assert.Equal(a.Merge(b), a.Merge(a.Merge(b)));
        }
    }

    /// <summary>All deltas, in any order, in any portions and some twice, are what all states merged are.</summary>
    public override void CheckConvergence(Random updates, Random random)
    {
        var (states, deltas) = Run(updates, steps: 20);
        var full = states.Aggregate(T.Bottom, (merged, state) => merged.Merge(state));
        for (var i = 0; i < 3; i++)
        {
            T[] order = [.. deltas, .. deltas.Where(_ => random.Next(3) == 0)];
            random.Shuffle(order);
            var (whole, portion) = (T.Bottom, T.Bottom);
            foreach (var next in order)
            {
                portion = portion.Merge(next);
                if (random.Next(3) == 0)
                {
                    (whole, portion) = (whole.Merge(portion), T.Bottom);
                }
            }

            Assert.Equal(full, whole.Merge(portion));
        }
    }

    public override void CheckForms(Random updates, Random random)
    {
        var (states, deltas) = Run(updates, steps: 12);
        foreach (var value in states.Concat(deltas).Append(T.Bottom))
        {
            var bytes = LatticeForm.ToBytes(value);
            var read = LatticeForm.FromBytes<T>(bytes);
            Assert.Equal(value, read);
            Assert.Equal(bytes, LatticeForm.ToBytes(read));
            var json = LatticeForm.ToJson(value);
            read = LatticeForm.FromJson<T>(json);
            Assert.Equal(value, read);
            Assert.Equal(json, LatticeForm.ToJson(read));
        }
    }

    public override void CheckDamage(Random updates, Random random)
    {
        var (states, _) = Run(updates, steps: 12);
        var bytes = LatticeForm.ToBytes(states[0]);
        for (var i = 0; i < 40; i++)
        {
            var damaged = bytes.ToArray();
            damaged[random.Next(damaged.Length)] ^= (byte)random.Next(1, 256);
            Assert.Throws<GeoSerializationException>(() => LatticeForm.FromBytes<T>(damaged));
            Assert.Throws<GeoSerializationException>(() => LatticeForm.FromBytes<T>(bytes.AsSpan(0, random.Next(bytes.Length))));

            // Below the checksum: what is read is refused, or is a value.
            RefusedOrRead(() => ReadBody(damaged.AsSpan(9)));
        }

        var json = LatticeForm.ToJson(states[0]);
        for (var i = 0; i < 40; i++)
        {
            var at = random.Next(json.Length);
            var damaged = new StringBuilder(json) { [at] = (char)random.Next(32, 127) }.ToString();
            RefusedOrRead(() => LatticeForm.FromJson<T>(damaged));
            Assert.Throws<GeoSerializationException>(() => LatticeForm.FromJson<T>(json[..at]));
        }

        foreach (var shape in (JsonNode?[])[null, 1, "x", true, new JsonArray(1), new JsonObject { ["rows"] = 1 }])
        {
            var root = JsonNode.Parse(json)!;
            root["state"] = shape;
            RefusedOrRead(() => LatticeForm.FromJson<T>(root.ToJsonString()));
        }
    }

    private static T ReadBody(ReadOnlySpan<byte> body)
    {
        var reader = new LatticeReader(new PayloadReader(body), [new(1), new(2), new(3)], LatticeLimits.Default.MaxDepth);
        return reader.Read<T>();
    }

    private static void RefusedOrRead(Func<T> read)
    {
        try
        {
            var value = read();
            Assert.Equal(value, LatticeForm.FromBytes<T>(LatticeForm.ToBytes(value)));
        }
        catch (GeoSerializationException)
        {
            // The one error that damage may end in; any other fails the test.
        }
    }

    private static T Pick(T[] values, Random random) => values[random.Next(values.Length)];

    private (T[] States, List<T> Deltas) Run(Random random, int steps)
    {
        var time = new Testing.VirtualTime();
        var actors = Enumerable.Range(1, Replicas).Select(n => new Actor(n, time, random)).ToArray();
        var states = Enumerable.Repeat(T.Bottom, Replicas).ToArray();
        var deltas = new List<T>();
        for (var step = 0; step < steps && random is not Choices { IsOver: true }; step++)
        {
            var i = random.Next(Replicas);
            if (random.Next(3) == 0)
            {
                states[i] = states[i].Merge(random.Next(2) == 0 || deltas.Count == 0
                    ? states[random.Next(Replicas)]
                    : deltas[random.Next(deltas.Count)]);
            }
            else
            {
                var next = delta(states[i], actors[i], random);
                deltas.Add(next);
                states[i] = states[i].Merge(next);
            }
        }

        return (states, deltas);
    }
}
