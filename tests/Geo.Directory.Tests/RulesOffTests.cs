namespace Geo.Directory.Tests;

/// <summary>
/// Rules that the simulation does not miss by chance are missed by a test: it fails when its rule is switched off.
/// docs/simulation.md has them beside those that the simulation misses.
/// </summary>
public sealed class RulesOffTests(ITestOutputHelper output)
{
    private static readonly Dictionary<string, Action<ITestOutputHelper>> Tests = new()
    {
        [nameof(ProtocolRule.TenancyIsCompared)] = _ =>
            new GlobalDirectoryTests().A_late_release_of_one_tenancy_leaves_the_next_one_alone(),
        [nameof(ProtocolRule.FoundIsAffirmed)] = output =>
            new StoreOutcomeTests(output).A_release_that_takes_effect_late_does_not_take_the_row_from_the_next_instance(),
        [nameof(ProtocolRule.FirstWriteIsOnce)] = _ =>
            new DirectoryRowsTests().A_first_write_of_unknown_outcome_is_never_tried_again(2),
        [nameof(ProtocolRule.RoundIsNamed)] = _ => new GsiRulesTests().A_round_has_no_say_about_the_row_of_another_round(),
        [nameof(ProtocolRule.DoubtIsIndexed)] = _ => new CrashTests().A_silo_that_restarts_finds_its_doubtful_rows_and_settles_them(),
        [nameof(ProtocolRule.UnfencedIsSilent)] = _ => new UnfencedNodeTests()
            .A_killed_cluster_that_returns_over_old_rows_does_not_end_the_survivors_live_instance("eu", "us"),
        [nameof(ProtocolRule.LivingIsPreferred)] = _ => new TakeOverTests()
            .A_living_instance_in_doubt_is_not_ended_for_that_of_a_dead_silo_which_owned_the_grain(fenced: true),
        [nameof(ProtocolRule.UnusedGivesWay)] = _ =>
            new UnusedRowTests().A_living_instance_in_doubt_is_not_ended_for_a_gift_that_nobody_has_called(),
        [nameof(ProtocolRule.YieldingPoints)] = _ => new YieldingTests().Calls_go_to_the_owner_while_a_duplicate_does_not_end(),
        [nameof(ProtocolRule.UnfencedIsNotGone)] = _ => new UnfencedNodeTests()
            .A_duplicate_on_a_silo_that_is_declared_dead_while_it_is_to_end_is_gone_only_when_that_is_fenced_off(),
    };

    public static TheoryData<string> Rules => [.. Tests.Keys];

    [Theory]
    [MemberData(nameof(Rules))]
    public void What_is_switched_off_is_missed(string rule)
    {
        Tests[rule](output);
        SwitchedOff.Set([Enum.Parse<ProtocolRule>(rule)]);
        try
        {
            Assert.ThrowsAny<Exception>(() => Tests[rule](output));
        }
        finally
        {
            SwitchedOff.Set([]);
        }
    }
}
