from clustraint import demo


def test_demo_tells_all_of_its_chapters(capsys):
    demo.main()
    told = capsys.readouterr().out
    assert "Constraints(7 samples: 3 must-links, 3 cannot-links, 2 triplets, 2 rules)" in told
    assert "together: dog, wolf, fox, polar bear" in told
    assert "does 'dog, polar bear | salmon' follow? yes" in told
    assert "tie them together: fox = wolf = trout." in told
    assert "dropping a small weight mends it: wolf = fox" in told
    assert "2 clusters cannot hold 3 samples of which no two may be together" in told
    assert "(((dog,wolf),'polar bear'),fox,trout,salmon,crow);" in told
