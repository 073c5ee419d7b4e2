using Geo.Consistency.Tests.Lattices.Kit;

namespace Geo.Consistency.Tests.Lattices;

public sealed class LatticeLawTests
{
    public static TheoryData<LatticeCase> Cases => LatticeCases.All;

    [Theory]
    [MemberData(nameof(Cases), DisableDiscoveryEnumeration = true)]
    public void Merging_is_associative_commutative_and_idempotent_and_bottom_is_neutral(LatticeCase lattice) =>
        ForSeeds(40, lattice.CheckLaws);

    [Theory]
    [MemberData(nameof(Cases), DisableDiscoveryEnumeration = true)]
    public void Deltas_in_any_order_portion_and_number_are_what_the_full_states_are(LatticeCase lattice) =>
        ForSeeds(40, lattice.CheckConvergence);

    [Theory]
    [MemberData(nameof(Cases), DisableDiscoveryEnumeration = true)]
    public void Both_forms_give_the_value_back_and_equal_values_have_equal_forms(LatticeCase lattice) => ForSeeds(20, lattice.CheckForms);

    [Theory]
    [MemberData(nameof(Cases), DisableDiscoveryEnumeration = true)]
    public void A_damaged_form_ends_in_one_kind_of_error(LatticeCase lattice) => ForSeeds(4, lattice.CheckDamage);

    private static void ForSeeds(int count, Action<int> check)
    {
        for (var seed = 1; seed <= count; seed++)
        {
            try
            {
                check(seed);
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"Seed {seed}: {e.Message}", e);
            }
        }
    }
}
