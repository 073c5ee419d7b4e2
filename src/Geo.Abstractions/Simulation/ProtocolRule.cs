namespace Geo;

/// <summary>The rules that a test can switch off (<see cref="SwitchedOff"/>).</summary>
internal enum ProtocolRule
{
    /// <summary>A grain is acquired before it is activated.</summary>
    AcquireFirst,

    /// <summary>The owner tells a request where the instance is.</summary>
    OwnerAnswers,

    /// <summary>A round that has precedence refuses a request.</summary>
    PrecedenceRefuses,

    /// <summary>A round that gives precedence gives itself up.</summary>
    LoserGivesUp,

    /// <summary>A round of a Doubtful instance competes as any other.</summary>
    RerunCompetes,

    /// <summary>A reply that is missing does not count as Pass.</summary>
    MissingCounts,

    /// <summary>A reply that refuses does not count as Pass.</summary>
    FailCounts,

    /// <summary>A decision that could not be written is not followed.</summary>
    LostRoundsEnd,

    /// <summary>What an answer promises is stored before it is sent.</summary>
    AnswerIsStored,

    /// <summary>A duplicate is deactivated before its row names the owner.</summary>
    YieldFirst,

    /// <summary>While a duplicate is being deactivated, calls go to the owner.</summary>
    YieldingPoints,

    /// <summary>A duplicate on a silo that died meanwhile is not gone before the silo is fenced off.</summary>
    UnfencedIsNotGone,

    /// <summary>Doubtful rows are tried again.</summary>
    DoubtIsSettled,

    /// <summary>A Doubtful instance is joined by clusters that hear of it.</summary>
    DoubtIsJoined,

    /// <summary>What a node that is gone held is void.</summary>
    GoneIsVoid,

    /// <summary>A round that is overdue is void.</summary>
    OverdueIsVoid,

    /// <summary>A call that found nothing forgets where it was sent, and looks again.</summary>
    LookAgain,

    /// <summary>A call whose grain is remembered to be in a cluster out of reach looks whether it is elsewhere by now.</summary>
    LookAnew,

    /// <summary>A call is served while the silo holds its lease.</summary>
    LeaseIsHeld,

    /// <summary>Who takes over from a dead silo waits until its lease has run out.</summary>
    FenceIsAwaited,

    /// <summary>A silo that renews its lease no more is fenced off by a sibling, whatever the membership says.</summary>
    LeasesAreWatched,

    /// <summary>Who fences such a silo off has seen its row unchanged for as long as the lease lasts.</summary>
    SilenceIsAwaited,

    /// <summary>The time of that silence counts only while the watching silo's own renewals succeed.</summary>
    WatcherIsSteady,

    /// <summary>An answer is given only while the silo holds its lease.</summary>
    LeaseIsAskedAgain,

    /// <summary>What a dead silo owned stays its cluster's, which asks nobody for it.</summary>
    OwnedIsTakenOver,

    /// <summary>No instance in doubt ends for that of a dead silo, which owned the grain.</summary>
    LivingIsPreferred,

    /// <summary>Nor for what a living silo owns and has no instance of.</summary>
    UnusedGivesWay,

    /// <summary>What an earlier life of the cluster owned is not taken over.</summary>
    BasisIsCompared,

    /// <summary>What a dead silo may still run is neither pointed at nor passed over.</summary>
    UnfencedIsSilent,

    /// <summary>A silo that has not answered one that starts does not pass for living, though its death has not been noticed.</summary>
    UnheardIsUnfenced,

    /// <summary>A release ends one tenancy and no later one.</summary>
    TenancyIsCompared,

    /// <summary>An instance begins when the one before it in the silo has given its row up.</summary>
    ReleasedFirst,

    /// <summary>A row that was merely found is written anew before an instance relies on it.</summary>
    FoundIsAffirmed,

    /// <summary>A row without a version is written by one try only.</summary>
    FirstWriteIsOnce,

    /// <summary>A decision counts for the round that it was made for.</summary>
    RoundIsNamed,

    /// <summary>A round whose decision came too late looks anew at a row that has lost, and at no other.</summary>
    LoserReconsiders,

    /// <summary>A duplicate's end is waited for no longer than its time.</summary>
    EndIsBounded,

    /// <summary>A duplicate is ended on whichever silo of the cluster it is.</summary>
    SiblingsEndToo,

    /// <summary>A silo does not start beside one that knows other clusters.</summary>
    ListsAreCompared,

    /// <summary>A silo without a link has its siblings send for it.</summary>
    SiblingsRelay,

    /// <summary>A call of unknown outcome is not sent again.</summary>
    UnknownIsReported,

    /// <summary>Rows are looked through for what dead silos have left.</summary>
    RowsAreScanned,

    /// <summary>A row that becomes Doubtful is entered in the index before.</summary>
    DoubtIsIndexed,

    /// <summary>An acceptor accepts nothing below what it has promised.</summary>
    PromiseBinds,

    /// <summary>A majority of the acceptors decides.</summary>
    MajorityDecides,

    /// <summary>What is reported of a register is decided.</summary>
    ReportIsDecided,

    /// <summary>What a forgotten key was promised still binds.</summary>
    FloorBinds,

    /// <summary>A deleted key is forgotten once all acceptors have the tombstone, and their floors are raised.</summary>
    AllForget,

    /// <summary>All attempts of one write propose one value, with one tag.</summary>
    TagStays,

    /// <summary>A chain of values that began anew proves nothing about the one before it.</summary>
    ChainIsOne,

    /// <summary>A step of an acceptor is said to be done when its row's store has said so.</summary>
    StepIsStored,

    /// <summary>A row of an acceptor comes into being without a value.</summary>
    FirstRowIsEmpty,

    /// <summary>The floor is read after the row.</summary>
    FloorIsReadLast,

    /// <summary>A write is told to have failed once no attempt of it can come any more.</summary>
    AttemptsAreOver,

    /// <summary>An acceptor whose store is not the one that it had at the beginning gives no answer.</summary>
    StoreIsCompared,

    /// <summary>The clusters change again only when every silo has processed the last change.</summary>
    BarrierIsAwaited,

    /// <summary>A cluster joins, and leaves, in two changes.</summary>
    ChangeIsTwoSteps,

    /// <summary>A cluster has gone only when it holds no rows that count.</summary>
    LeaverIsDrained,

    /// <summary>A cluster that joins or leaves is not let pass.</summary>
    NewcomerIsFailed,

    /// <summary>A cluster that joins or leaves becomes the owner of nothing.</summary>
    MembersOwn,

    /// <summary>Whom a round asks is decided when its row is known to be stored.</summary>
    AskedWhenStored,

    /// <summary>Silos whose configurations do not belong together let nobody pass.</summary>
    StampsAreCompared,

    /// <summary>A silo that has taken its lease reads the configuration again before it serves.</summary>
    ConfigurationIsReadAgain,

    /// <summary>A version is stored by the cluster before one of its silos works with it.</summary>
    VersionIsStoredFirst,

    /// <summary>A silo says that it has processed a version when it works with it.</summary>
    ProcessedIsTold,

    /// <summary>Each tenancy of a grain in quorum mode has a higher number than the one before it.</summary>
    EpochGrows,

    /// <summary>The row of a grain's owner is replaced only as it was read.</summary>
    OwnerIsCompared,

    /// <summary>A lease that has run out is over once its fence is known to be stored.</summary>
    EndIsStored,

    /// <summary>A tenancy is served under the lease that its row names, and under no later one.</summary>
    TenancyNamesLease,

    /// <summary>Only a grain whose lease is over is taken from its owner.</summary>
    OverIsAwaited,

    /// <summary>The clusters that keep a register change one at a time.</summary>
    OneKeeperAtATime,

    /// <summary>They change again only when the last change is settled.</summary>
    ListIsSettled,

    /// <summary>A change of them is settled when every key was written under it.</summary>
    EveryKeyIsWritten,

    /// <summary>An acceptor that has taken a later list over answers for keys without a value by no earlier one.</summary>
    LaterListBinds,

    /// <summary>What tells of a later list is not taken for decided.</summary>
    LaterVersionCounts,

    /// <summary>A ballot is above all those of earlier lists.</summary>
    BallotNamesItsList,

    /// <summary>An acceptor that was taken in does not vouch for what was forgotten before.</summary>
    NewcomerDoesNotVouch,

    /// <summary>An acceptor that is taken in holds nothing of a time before.</summary>
    NewcomerIsEmpty,

    /// <summary>Acceptors that go on by force without the others are another register, which never takes a list of theirs over.</summary>
    ForcedListIsAnotherRegister,

    /// <summary>Until every key is written by all of those, no fewer than all of them decide.</summary>
    SurvivorsAllDecide,
}
