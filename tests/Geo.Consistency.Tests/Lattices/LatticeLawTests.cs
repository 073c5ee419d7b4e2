using System.Text.Json;
using FsCheck;
using FsCheck.Fluent;
using Geo.Consistency.Lattices;
using Geo.Consistency.Tests.Lattices.Kit;

namespace Geo.Consistency.Tests.Lattices;

/// <summary>FsCheck draws the updates and what is done with their values, and tells the least of them that break a law.</summary>
public sealed class LatticeLawTests
{
    public static TheoryData<LatticeCase> Cases => LatticeCases.All;

    [Theory]
    [MemberData(nameof(Cases), DisableDiscoveryEnumeration = true)]
    public void Merging_is_associative_commutative_and_idempotent_and_bottom_is_neutral(LatticeCase lattice) =>
        ForAll(100, lattice.CheckLaws);

    [Theory]
    [MemberData(nameof(Cases), DisableDiscoveryEnumeration = true)]
    public void Deltas_in_any_order_portion_and_number_are_what_the_full_states_are(LatticeCase lattice) =>
        ForAll(100, lattice.CheckConvergence);

    [Theory]
    [MemberData(nameof(Cases), DisableDiscoveryEnumeration = true)]
    public void Both_forms_give_the_value_back_and_equal_values_have_equal_forms(LatticeCase lattice) => ForAll(40, lattice.CheckForms);

    [Theory]
    [MemberData(nameof(Cases), DisableDiscoveryEnumeration = true)]
    public void A_damaged_form_ends_in_one_kind_of_error(LatticeCase lattice) => ForAll(6, lattice.CheckDamage);

    [Fact]
    public void Annas_pair_of_vector_clock_and_value_is_found_to_be_no_lattice_and_the_updates_that_show_it_are_made_fewer()
    {
        var lattice = new LatticeCase<ClockedValue>("Anna's causal pair", (s, a, r) => new(s.Clock.Next(a.Id), GrowSet<int>.Of(r.Next(9))));
        var (first, least, failure) = (0, int.MaxValue, default(Exception));
        var broken = Assert.ThrowsAny<Exception>(() => ForAll(2000, (updates, random) =>
        {
            try
            {
                lattice.CheckLaws(updates, random);
            }
            catch (Exception e)
            {
                // Every failure that is tried on the way to the least one.
                var choices = ((Choices)updates).Count;
                (first, least, failure) = (first == 0 ? choices : first, Math.Min(least, choices), e);
                throw;
            }
        }));
        Assert.IsAssignableFrom<Xunit.Sdk.IAssertionException>(failure);
        Assert.Contains("shrink", broken.Message, StringComparison.OrdinalIgnoreCase);
        Assert.InRange(least, 1, first);
    }

    private static void ForAll(int count, Action<Random, Random> check)
    {
        var (runs, choices) = (0, ArbMap.Default.ArbFor<int[]>());
        Prop.ForAll(choices, choices, (updates, random) =>
        {
            runs++;
            check(new Choices(updates), new Choices(random));
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(count).WithStartSize(30).WithEndSize(150));
        Assert.Equal(count, runs);
    }

    /// <summary>
    /// What Figure 2 of Anna's paper has for causal consistency: the newer clock wins, and concurrent ones merge both parts.
    /// </summary>
    private sealed record ClockedValue(VectorClock Clock, GrowSet<int> Value) : ILattice<ClockedValue>
    {
        public static ClockedValue Bottom { get; } = new(VectorClock.Bottom, GrowSet<int>.Bottom);

        public static string TypeName => "clocked-value";

        public ClockedValue Merge(ClockedValue other) => Clock.Equals(other.Clock) ? new(Clock, Value.Merge(other.Value))
            : Clock.Covers(other.Clock) ? this
            : other.Clock.Covers(Clock) ? other
            : new(Clock.Merge(other.Clock), Value.Merge(other.Value));

        public void Write(LatticeWriter to) => throw new NotSupportedException();

        public static ClockedValue Read(ref LatticeReader from) => throw new NotSupportedException();

        public void WriteJson(Utf8JsonWriter to) => throw new NotSupportedException();

        public static ClockedValue ReadJson(JsonElement from) => throw new NotSupportedException();
    }
}
